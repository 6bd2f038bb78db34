package dev.fewtaps.samples.shop;

import android.app.Activity;
import android.content.Intent;
import android.os.Bundle;
import android.view.View;
import android.widget.CheckBox;
import android.widget.EditText;
import android.widget.TextView;

/** Asks who is there, unless it remembers. */
public final class LoginActivity extends Activity {
  private Session session;

  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    session = new Session(this);
    if (session.isRemembered()) {
      enter();
      return;
    }
    setContentView(R.layout.login);
    findViewById(R.id.log_in).setOnClickListener(this::logIn);
  }

  private void logIn(View button) {
    String user = this.<EditText>findViewById(R.id.user).getText().toString().trim();
    String password = this.<EditText>findViewById(R.id.password).getText().toString();
    if (!Session.isValid(user, password)) {
      this.<TextView>findViewById(R.id.message).setText(R.string.login_error);
      return;
    }
    if (this.<CheckBox>findViewById(R.id.remember).isChecked()) {
      session.remember(user);
    }
    enter();
  }

  private void enter() {
    startActivity(new Intent(this, ShopActivity.class));
    finish();
  }
}
