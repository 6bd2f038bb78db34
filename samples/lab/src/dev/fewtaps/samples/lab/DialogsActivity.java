package dev.fewtaps.samples.lab;

import android.app.AlertDialog;
import android.app.DatePickerDialog;
import android.app.Dialog;
import android.app.ProgressDialog;
import android.app.TimePickerDialog;
import android.content.DialogInterface;
import android.os.Bundle;
import android.os.Handler;
import android.view.Gravity;
import android.view.View;
import android.view.ViewGroup;
import android.widget.EditText;
import android.widget.PopupWindow;
import android.widget.TextView;

/** Opens every common kind of dialog and shows the user's choice. */
public final class DialogsActivity extends LabActivity {
  private static final int MANAGED = 1;

  @Override
  protected void fill() {
    button("Alert", this::alert);
    button("List", this::list);
    button("Single choice", this::singleChoice);
    button("Multi choice", this::multiChoice);
    button("Input", this::input);
    button("Date", this::date);
    button("Time", this::time);
    button("Progress", this::progress);
    button("Managed", () -> showDialog(MANAGED));
    button("Popup window", this::popup);
    button("Stubborn", this::stubborn);
    button("Two dialogs", () -> {
      alert();
      list();
    });
  }

  private void alert() {
    new AlertDialog.Builder(this)
        .setTitle("Alert title")
        .setMessage("Alert message")
        .setPositiveButton("Yes", (dialog, which) -> say("alert yes"))
        .setNegativeButton("No", (dialog, which) -> say("alert no"))
        .setNeutralButton("Maybe", (dialog, which) -> say("alert maybe"))
        .setOnCancelListener(dialog -> say("alert canceled"))
        .setOnDismissListener(dialog -> say("alert dismissed"))
        .show();
  }

  private void list() {
    String[] planets = getResources().getStringArray(R.array.planets);
    new AlertDialog.Builder(this)
        .setTitle("Planets")
        .setItems(planets, (dialog, which) -> say("list " + planets[which]))
        .show();
  }

  private void singleChoice() {
    String[] planets = getResources().getStringArray(R.array.planets);
    new AlertDialog.Builder(this)
        .setSingleChoiceItems(planets, 2, (dialog, which) -> say("checked " + planets[which]))
        .setPositiveButton("Done", null)
        .show();
  }

  private void multiChoice() {
    String[] planets = getResources().getStringArray(R.array.planets);
    new AlertDialog.Builder(this)
        .setMultiChoiceItems(
            planets, null, (dialog, which, checked) -> say(planets[which] + " " + checked))
        .setPositiveButton("Done", null)
        .show();
  }

  private void input() {
    EditText field = new EditText(this);
    field.setId(R.id.field);
    field.setHint("Type here");
    new AlertDialog.Builder(this)
        .setTitle("Input")
        .setView(field)
        .setPositiveButton("Done", (dialog, which) -> say("input " + field.getText()))
        .show();
  }

  private void date() {
    new DatePickerDialog(this, (view, year, month, day) -> say("date " + year + "-" + (month + 1) + "-" + day), 2020, 1, 29)
        .show();
  }

  private void time() {
    new TimePickerDialog(this, (view, hour, minute) -> say("time " + hour + ":" + minute), 13, 37, true).show();
  }

  private void progress() {
    ProgressDialog dialog = ProgressDialog.show(this, "Working", "Please wait", true, false);
    new Handler()
        .postDelayed(
            () -> {
              dialog.dismiss();
              say("progress done");
            },
            1500);
  }

  @Override
  protected Dialog onCreateDialog(int id, Bundle arguments) {
    return new AlertDialog.Builder(this)
        .setMessage("Managed dialog")
        .setPositiveButton("Close", (dialog, which) -> say("managed closed"))
        .create();
  }

  private void popup() {
    TextView text = new TextView(this);
    text.setText("Popup content");
    text.setPadding(40, 40, 40, 40);
    text.setBackgroundColor(0xffffecb3);
    PopupWindow popup =
        new PopupWindow(text, ViewGroup.LayoutParams.WRAP_CONTENT, ViewGroup.LayoutParams.WRAP_CONTENT, true);
    popup.setOnDismissListener(() -> say("popup dismissed"));
    text.setOnClickListener(view -> {
      say("popup tapped");
      popup.dismiss();
    });
    popup.showAtLocation((View) findViewById(R.id.log), Gravity.CENTER, 0, 0);
  }

  private void stubborn() {
    AlertDialog dialog =
        new AlertDialog.Builder(this)
            .setMessage("Only the button closes this")
            .setCancelable(false)
            .setPositiveButton("Close", null)
            .show();
    dialog
        .getButton(DialogInterface.BUTTON_POSITIVE)
        .setOnClickListener(
            view -> {
              say("stubborn closed");
              dialog.dismiss();
            });
  }
}
