// Polls the server for a new version of the report.
"use strict";
{
  let known = null;
  const ask = async () => {
    try {
      const answer = await fetch("version", { cache: "no-store" });
      const version = await answer.text();
      if (answer.ok && known !== null && version !== known) {
        const atRest = document.body.classList.contains("overview") && !document.hidden;
        if (atRest) location.reload();
        else document.querySelector(".news").hidden = false;
      }
      if (answer.ok) known = version;
    } catch {
      // The server has ended: the page stays as it is.
      clearInterval(timer);
    }
  };
  const timer = setInterval(ask, 3000);
  ask();
}
