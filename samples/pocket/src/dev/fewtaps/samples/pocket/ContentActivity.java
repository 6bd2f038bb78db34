package dev.fewtaps.samples.pocket;

import android.accounts.AccountManager;
import android.app.Activity;
import android.content.ClipData;
import android.content.ClipboardManager;
import android.content.ContentValues;
import android.content.Intent;
import android.database.Cursor;
import android.graphics.Bitmap;
import android.graphics.BitmapFactory;
import android.media.RingtoneManager;
import android.net.Uri;
import android.os.AsyncTask;
import android.os.Bundle;
import android.os.Environment;
import android.provider.MediaStore;
import android.util.Log;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URISyntaxException;
import java.net.URL;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** Asks the phone what is on it, as the extras of its intent say. */
public final class ContentActivity extends Activity {
  @Override
  protected void onCreate(Bundle savedInstanceState) {
    super.onCreate(savedInstanceState);
    String uri = getIntent().getStringExtra("uri");
    String what = String.valueOf(getIntent().getStringExtra("what"));
    try {
      if (what.equals("bytes")) {
        try (InputStream in = getContentResolver().openInputStream(Uri.parse(uri))) {
          say(describe(in));
        }
      } else if (what.equals("file")) {
        try (InputStream in = new FileInputStream(uri)) {
          say(describe(in));
        }
      } else if (what.equals("list")) {
        say(Arrays.toString(sorted(new File(Environment.getExternalStorageDirectory(), uri).list())));
      } else if (what.equals("type")) {
        say("type " + getContentResolver().getType(Uri.parse(uri)));
      } else if (what.equals("insert")) {
        ContentValues values = new ContentValues();
        for (String pair : getIntent().getStringExtra("values").split(",")) {
          values.put(pair.split("=")[0], pair.split("=")[1]);
        }
        say("made " + getContentResolver().insert(Uri.parse(uri), values));
      } else if (what.equals("other")) {
        say("accounts " + AccountManager.get(this).getAccounts().length);
        ClipData clip = ((ClipboardManager) getSystemService(CLIPBOARD_SERVICE)).getPrimaryClip();
        say("clip " + (clip == null ? "none" : clip.getItemAt(0).coerceToText(this)));
        try (Cursor ringtones = new RingtoneManager(this).getCursor()) {
          say("ringtones " + ringtones.getCount());
        }
        say("media version " + MediaStore.getVersion(this));
      } else if (what.equals("resolve")) {
        for (String each : uri.split("\n")) {
          say((Intent.parseUri(each, 0).resolveActivity(getPackageManager()) != null) + " " + each);
        }
      } else if (what.equals("pick")) {
        startActivityForResult(Intent.parseUri(uri, 0), 1);
      } else if (what.equals("http")) {
        new Fetch().execute(uri);
      } else if (uri != null) {
        query(Uri.parse(uri));
      }
    } catch (IOException | SecurityException | URISyntaxException error) {
      say(error.getClass().getSimpleName() + ": " + error.getMessage());
    }
  }

  @Override
  protected void onActivityResult(int request, int result, Intent data) {
    Uri picked = data == null ? null : data.getData();
    say("result " + (result == RESULT_OK) + " data " + (data == null ? "none" : picked));
    if (data != null && data.getExtras() != null) {
      for (String name : data.getExtras().keySet()) {
        say("extra " + name);
      }
    }
    if (picked != null) {
      try (InputStream in = getContentResolver().openInputStream(picked)) {
        say(describe(in));
      } catch (IOException | SecurityException error) {
        say(error.getClass().getSimpleName());
      }
    }
  }

  /** Asks a server, as HttpURLConnection does it and by hand on a socket, as HTTP libraries do. */
  private static final class Fetch extends AsyncTask<String, Void, Void> {
    @Override
    protected Void doInBackground(String... urls) {
      try {
        URL url = new URL(urls[0]);
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        connection.setReadTimeout(5000);
        say("status " + connection.getResponseCode() + " " + connection.getContentType());
        say(describe(connection.getInputStream()));
        boolean isSecure = url.getProtocol().equals("https");
        Socket socket = SocketFactory.getDefault().createSocket();
        socket.setSoTimeout(5000);
        socket.connect(new InetSocketAddress(InetAddress.getByName(url.getHost()), isSecure ? 443 : 80), 5000);
        if (isSecure) {
          SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
          SSLSocket secure = (SSLSocket) factory.createSocket(socket, url.getHost(), 443, true);
          secure.startHandshake();
          say("names " + ((X509Certificate) secure.getSession().getPeerCertificates()[0]).getSubjectAlternativeNames());
          socket = secure;
        }
        String request = "GET " + url.getFile() + " HTTP/1.1\r\nHost: " + url.getHost() + "\r\n\r\n";
        socket.getOutputStream().write(request.getBytes("US-ASCII"));
        BufferedReader lines = new BufferedReader(new InputStreamReader(socket.getInputStream(), "UTF-8"));
        say("socket " + lines.readLine() + ", " + lines.readLine());
        socket.close();
      } catch (IOException | CertificateParsingException error) {
        say(error.getClass().getSimpleName());
      }
      return null;
    }
  }

  private static void say(String line) {
    Log.i("lab", line);
  }

  private static String[] sorted(String[] names) {
    if (names != null) {
      Arrays.sort(names);
    }
    return names;
  }

  private void query(Uri uri) {
    String columns = getIntent().getStringExtra("columns");
    String selection = getIntent().getStringExtra("selection");
    String argument = getIntent().getStringExtra("argument");
    try (Cursor cursor =
        getContentResolver()
            .query(
                uri,
                columns == null ? null : columns.split(","),
                selection,
                argument == null ? null : argument.split(","),
                getIntent().getStringExtra("order"))) {
      say(cursor.getCount() + " rows");
      while (columns != null && cursor.moveToNext()) {
        StringBuilder row = new StringBuilder();
        for (int i = 0; i < cursor.getColumnCount(); i++) {
          row.append(i == 0 ? "" : "|").append(cursor.getString(i));
        }
        say(row.toString());
      }
    }
  }

  private static String describe(InputStream in) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] some = new byte[4096];
    for (int count = in.read(some); count > 0; count = in.read(some)) {
      all.write(some, 0, count);
    }
    Bitmap picture = BitmapFactory.decodeByteArray(all.toByteArray(), 0, all.size());
    return (all.size() > 0 ? "bytes" : "no bytes")
        + (picture == null ? "" : " of a picture " + picture.getWidth() + "x" + picture.getHeight());
  }
}
