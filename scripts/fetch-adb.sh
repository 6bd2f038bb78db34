#!/bin/sh
# Fetches adb and adbd of Debian 13 (version 34) into a folder, with the libraries they need, and writes two programs,
# FOLDER/adb and FOLDER/adbd, which start them by their own loader. Nothing is installed. Needs apt, dpkg and a network.
#
#     scripts/fetch-adb.sh ~/adb34
#     export ADB34=~/adb34/adb ADBD=~/adb34/adbd
set -eu
[ $# -eq 1 ] || { echo "usage: scripts/fetch-adb.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)
state=$folder/apt
mkdir -p "$state/lists/partial" "$state/archives/partial" "$folder/root"
: > "$state/status"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# The mirror that this machine itself uses, unless another is given.
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' | grep -v -e security -e updates | head -n 1)}
[ -n "$mirror" ] || { echo "this machine names no Debian mirror: set DEBIAN_MIRROR" >&2; exit 3; }
echo "deb [signed-by=$keyring] $mirror trixie main" > "$state/sources.list"
apt_with_own_state() {
  apt-get -q -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$state/lists" -o Dir::State::status="$state/status" -o Dir::State::extended_states="$state/extended" \
    -o Dir::Cache="$state" -o Dir::Cache::archives="$state/archives" -o Debug::NoLocking=1 -o APT::Sandbox::User=root \
    -o APT::Get::List-Cleanup=0 -o Acquire::Languages=none "$@"
}
apt_with_own_state update
apt_with_own_state install --yes --download-only --no-install-recommends adb adbd
for package in "$state"/archives/*.deb; do dpkg -x "$package" "$folder/root"; done
rm -r "$state"
loader=$(find "$folder/root" -name 'ld-linux*.so.*' | head -n 1)
libraries=$(find "$folder/root" -name 'lib*.so*' -exec dirname {} \; | sort -u | paste -s -d :)
for name in adb adbd; do
  program=$(find "$folder/root" -type f -name "$name" -perm -u+x | head -n 1)
  printf '#!/bin/sh\nexec %s --argv0 %s --library-path %s %s "$@"\n' "$loader" "$folder/$name" "$libraries" "$program" > "$folder/$name"
  chmod +x "$folder/$name"
done
"$folder/adb" version
