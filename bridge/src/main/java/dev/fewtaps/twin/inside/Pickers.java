package dev.fewtaps.twin.inside;

import android.accounts.AccountManager;
import android.app.Activity;
import android.content.ClipData;
import android.content.ContentUris;
import android.content.Context;
import android.content.Intent;
import android.graphics.Bitmap;
import android.graphics.Color;
import android.media.RingtoneManager;
import android.net.Uri;
import android.os.Bundle;
import android.os.IBinder;
import android.os.Parcelable;
import android.provider.ContactsContract;
import android.provider.DocumentsContract;
import android.provider.MediaStore;
import android.speech.RecognizerIntent;
import dev.fewtaps.twin.world.MosaicJpeg;
import dev.fewtaps.twin.world.World;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.robolectric.RuntimeEnvironment;
import org.robolectric.util.ReflectionHelpers;

/**
 * The answers of apps that a user chooses something in: pickers, camera, voice input.
 *
 * <p>The world decides between an ordinary choice, none, and a strange one that phones give too.
 * The first decision of world 0 is an ordinary choice.
 */
final class Pickers {
  /** Of so many decisions, */
  private static final int DECISIONS = 10;

  /** the user turns back in two, and the answer is strange in one. */
  private static final int CANCELS = 2;

  private static final String PICK_IMAGES = "android.provider.action.PICK_IMAGES";
  private static final String PHOTO_PICKER =
      "content://media/picker/0/com.android.providers.media.photopicker/media";
  private static final String KEY_CHOOSER = "com.android.keychain.CHOOSER";
  private static final String PHONE_TYPE = "phone_v2";

  private final Device device;
  private final PhoneContent content;

  Pickers(Device device) {
    this.device = device;
    this.content = device.content();
  }

  /** What the user chooses there, or null if nothing is to be chosen. */
  Neighbours.Answer answer(Intent intent) {
    String action = String.valueOf(intent.getAction());
    if (action.equals(KEY_CHOOSER)) {
      return new Neighbours.Answer(Activity.RESULT_CANCELED, null, () -> answerWithoutKey(intent));
    }
    if (action.equals(Intent.ACTION_CHOOSER)) {
      Parcelable inner = intent.getParcelableExtra(Intent.EXTRA_INTENT);
      return inner instanceof Intent ? answer((Intent) inner) : null;
    }
    if (!content.isFurnished() || !isPicker(intent, action)) {
      return null;
    }
    int decided = World.current().choice(DECISIONS);
    if (decided >= DECISIONS - CANCELS) {
      return cancelled();
    }
    return decided == DECISIONS - CANCELS - 1 ? strange(intent, action) : usual(intent, action);
  }

  private static boolean isPicker(Intent intent, String action) {
    switch (action) {
      case Intent.ACTION_PICK:
      case Intent.ACTION_GET_CONTENT:
      case Intent.ACTION_OPEN_DOCUMENT:
      case Intent.ACTION_OPEN_DOCUMENT_TREE:
      case Intent.ACTION_CREATE_DOCUMENT:
      case Intent.ACTION_INSERT_OR_EDIT:
      case PICK_IMAGES:
      case MediaStore.ACTION_IMAGE_CAPTURE:
      case MediaStore.ACTION_VIDEO_CAPTURE:
      case MediaStore.Audio.Media.RECORD_SOUND_ACTION:
      case RecognizerIntent.ACTION_RECOGNIZE_SPEECH:
      case RingtoneManager.ACTION_RINGTONE_PICKER:
        return true;
      default:
        return isAccountChooser(intent);
    }
  }

  private static boolean isAccountChooser(Intent intent) {
    String name =
        intent.getComponent() == null ? "" : String.valueOf(intent.getComponent().getClassName());
    return name.contains("ChooseTypeAndAccount") || name.contains("ChooseAccount");
  }

  private static Neighbours.Answer cancelled() {
    return new Neighbours.Answer(Activity.RESULT_CANCELED, null, () -> {});
  }

  private static Neighbours.Answer chosen(Intent data) {
    return new Neighbours.Answer(Activity.RESULT_OK, data, () -> {});
  }

  private Neighbours.Answer chosen(Uri uri) {
    content.grant(uri);
    return chosen(
        new Intent()
            .setData(uri)
            .addFlags(
                Intent.FLAG_GRANT_READ_URI_PERMISSION | Intent.FLAG_GRANT_WRITE_URI_PERMISSION));
  }

  // ---- an ordinary choice

  private Neighbours.Answer usual(Intent intent, String action) {
    switch (action) {
      case Intent.ACTION_PICK:
        return picked(intent);
      case Intent.ACTION_GET_CONTENT:
      case Intent.ACTION_OPEN_DOCUMENT:
      case PICK_IMAGES:
        return opened(intent, action);
      case Intent.ACTION_OPEN_DOCUMENT_TREE:
        return chosen(
            DocumentsContract.buildTreeDocumentUri(DocumentsOfPhone.STORAGE, "primary:Documents"));
      case Intent.ACTION_CREATE_DOCUMENT:
        return created(intent);
      case MediaStore.ACTION_IMAGE_CAPTURE:
        return photographed(intent, MosaicJpeg.make(1024, 768, 6, 5));
      case MediaStore.ACTION_VIDEO_CAPTURE:
        return chosen(ContentUris.withAppendedId(MediaStore.Video.Media.EXTERNAL_CONTENT_URI, 6));
      case MediaStore.Audio.Media.RECORD_SOUND_ACTION:
        return chosen(ContentUris.withAppendedId(MediaStore.Audio.Media.EXTERNAL_CONTENT_URI, 7));
      case RecognizerIntent.ACTION_RECOGNIZE_SPEECH:
        return spoken("hello world", "hello word");
      case RingtoneManager.ACTION_RINGTONE_PICKER:
        return ringtone(ContentUris.withAppendedId(MediaStore.Audio.Media.INTERNAL_CONTENT_URI, 1));
      default:
        return isAccountChooser(intent) ? account() : cancelled();
    }
  }

  /** Picks from what the intent's address or type names. */
  private Neighbours.Answer picked(Intent intent) {
    String from = String.valueOf(intent.getData());
    String type = String.valueOf(intent.getType());
    if (type.contains(PHONE_TYPE) || from.contains("/data/phones")) {
      return chosen(
          ContentUris.withAppendedId(ContactsContract.Data.CONTENT_URI, dataId(PHONE_TYPE)));
    }
    if (type.contains("email_v2") || from.contains("/data/emails")) {
      return chosen(
          ContentUris.withAppendedId(ContactsContract.Data.CONTENT_URI, dataId("email_v2")));
    }
    if (type.contains("postal-address")) {
      return chosen(
          ContentUris.withAppendedId(
              ContactsContract.Data.CONTENT_URI, dataId("postal-address_v2")));
    }
    if (from.contains("contacts") || type.contains("contact") || type.contains("person")) {
      return chosen(ContactsContract.Contacts.getLookupUri(2, "0r2-person"));
    }
    if (from.contains("/video/") || type.startsWith("video/")) {
      return chosen(ContentUris.withAppendedId(MediaStore.Video.Media.EXTERNAL_CONTENT_URI, 6));
    }
    if (from.contains("/audio/") || type.startsWith("audio/")) {
      return chosen(ContentUris.withAppendedId(MediaStore.Audio.Media.EXTERNAL_CONTENT_URI, 7));
    }
    if (from.contains("com.android.calendar")) {
      return chosen(Uri.parse("content://com.android.calendar/events/1"));
    }
    boolean isPicture = from.contains("/images/") || type.startsWith("image/");
    return isPicture
        ? chosen(ContentUris.withAppendedId(MediaStore.Images.Media.EXTERNAL_CONTENT_URI, 1))
        : cancelled();
  }

  private long dataId(String type) {
    String found =
        content
            .tables()
            .text(
                new ContentTables.Rows("data_rows", null)
                    .where("mimetype = ?", "vnd.android.cursor.item/" + type),
                "_id");
    return found == null ? 1 : Long.parseLong(found);
  }

  /** Opens the first documents of the types asked for: one, or two if several may be chosen. */
  private Neighbours.Answer opened(Intent intent, String action) {
    String type = String.valueOf(intent.getType());
    if (type.startsWith("vnd.android.cursor.")) {
      return picked(intent);
    }
    boolean isPhotos = action.equals(PICK_IMAGES);
    List<Uri> uris = new ArrayList<>();
    for (PhoneFile file : PhoneFile.SHARED) {
      if (isPhotos ? isPhoto(file, type) : isAccepted(file, intent)) {
        uris.add(isPhotos ? photo(file.id()) : document(file));
      }
    }
    boolean several =
        isPhotos
            ? intent.hasExtra("android.provider.extra.PICK_IMAGES_MAX")
            : intent.getBooleanExtra(Intent.EXTRA_ALLOW_MULTIPLE, false);
    if (uris.isEmpty()) {
      return cancelled();
    }
    if (!several || uris.size() == 1) {
      return chosen(uris.get(0));
    }
    ClipData both = ClipData.newRawUri(null, uris.get(0));
    both.addItem(new ClipData.Item(uris.get(1)));
    content.grant(uris.get(0));
    content.grant(uris.get(1));
    Intent data = new Intent();
    data.setClipData(both);
    return chosen(data.addFlags(Intent.FLAG_GRANT_READ_URI_PERMISSION));
  }

  private static boolean isPhoto(PhoneFile file, String type) {
    boolean isSeen = file.size()[0] > 0;
    return isSeen && (!type.contains("/") || matches(type, file.type()));
  }

  private static boolean isAccepted(PhoneFile file, Intent intent) {
    String[] types = intent.getStringArrayExtra(Intent.EXTRA_MIME_TYPES);
    if (types == null || types.length == 0) {
      return matches(String.valueOf(intent.getType()), file.type());
    }
    for (String type : types) {
      if (type != null && matches(type, file.type())) {
        return true;
      }
    }
    return false;
  }

  private static boolean matches(String pattern, String type) {
    return pattern.equals("null")
        || pattern.startsWith("*")
        || (pattern.endsWith("/*")
            ? type.startsWith(pattern.substring(0, pattern.length() - 1))
            : type.equals(pattern));
  }

  private static Uri photo(long id) {
    return Uri.parse(PHOTO_PICKER + "/" + id);
  }

  /** The address that a file picker gives out for a file. */
  private static Uri document(PhoneFile file) {
    String kind = file.type().substring(0, file.type().indexOf('/'));
    if (List.of("image", "video", "audio").contains(kind)) {
      return DocumentsContract.buildDocumentUri(DocumentsOfPhone.MEDIA, kind + ":" + file.id());
    }
    return file.path().startsWith("Download/")
        ? DocumentsContract.buildDocumentUri(DocumentsOfPhone.DOWNLOADS, "msf:" + file.id())
        : DocumentsContract.buildDocumentUri(DocumentsOfPhone.STORAGE, "primary:" + file.path());
  }

  private Neighbours.Answer created(Intent intent) {
    String title = intent.getStringExtra(Intent.EXTRA_TITLE);
    File folder = new File(PhoneContent.sharedRoot(), "Documents");
    try {
      File made = DocumentsOfPhone.create(folder, title == null ? "new" : title, false);
      return chosen(
          DocumentsContract.buildDocumentUri(
              DocumentsOfPhone.STORAGE, "primary:Documents/" + made.getName()));
    } catch (IOException e) {
      return cancelled();
    }
  }

  /** Takes a picture: to the place that the app names, else small and with the answer. */
  private Neighbours.Answer photographed(Intent intent, byte[] picture) {
    Parcelable output = intent.getParcelableExtra(MediaStore.EXTRA_OUTPUT);
    if (output instanceof Uri) {
      return new Neighbours.Answer(Activity.RESULT_OK, null, () -> write((Uri) output, picture));
    }
    Bitmap small = Bitmap.createBitmap(160, 120, Bitmap.Config.ARGB_8888);
    small.eraseColor(Color.rgb(90, 140, 60));
    return chosen(new Intent("inline-data").putExtra("data", small));
  }

  private void write(Uri to, byte[] picture) {
    Context context = RuntimeEnvironment.getApplication();
    try (OutputStream out = context.getContentResolver().openOutputStream(to, "w")) {
      out.write(picture);
    } catch (IOException | RuntimeException e) {
      // The camera cannot write there; the app is told of a picture that is not there.
      device.notes().say("the camera could not write to " + to);
    }
  }

  private static Neighbours.Answer spoken(String... words) {
    ArrayList<String> heard = new ArrayList<>(List.of(words));
    float[] trust = new float[words.length];
    java.util.Arrays.fill(trust, 0.5f);
    return chosen(
        new Intent()
            .putStringArrayListExtra(RecognizerIntent.EXTRA_RESULTS, heard)
            .putExtra(RecognizerIntent.EXTRA_CONFIDENCE_SCORES, trust));
  }

  private static Neighbours.Answer ringtone(Uri uri) {
    return chosen(new Intent().putExtra(RingtoneManager.EXTRA_RINGTONE_PICKED_URI, uri));
  }

  private Neighbours.Answer account() {
    content.showAccount();
    return chosen(
        new Intent()
            .putExtra(AccountManager.KEY_ACCOUNT_NAME, PhoneContent.ACCOUNT.name)
            .putExtra(AccountManager.KEY_ACCOUNT_TYPE, PhoneContent.ACCOUNT.type));
  }

  // ---- strange choices

  /** What phones give now and then: nothing at all, a right that has ended, odd or huge files. */
  private Neighbours.Answer strange(Intent intent, String action) {
    int which = World.current().choice(3);
    switch (action) {
      case MediaStore.ACTION_IMAGE_CAPTURE:
        // Some cameras say that they took a picture and hand over none.
        boolean hasPlace = intent.hasExtra(MediaStore.EXTRA_OUTPUT);
        return hasPlace && which > 0
            ? photographed(intent, which == 1 ? new byte[0] : HugePicture.bytes())
            : chosen((Intent) null);
      case RecognizerIntent.ACTION_RECOGNIZE_SPEECH:
        return spoken();
      case RingtoneManager.ACTION_RINGTONE_PICKER:
        return ringtone(null); // The choice "silent".
      case Intent.ACTION_OPEN_DOCUMENT:
      case Intent.ACTION_GET_CONTENT:
      case PICK_IMAGES:
        boolean wantsPicture = String.valueOf(intent.getType()).startsWith("image/");
        return which == 0
            ? revoked(opened(intent, action))
            : which == 1 && (wantsPicture || action.equals(PICK_IMAGES))
                ? huge()
                : chosen(document(withoutExtension()));
      case Intent.ACTION_PICK:
        return which == 0 ? chosen((Intent) null) : revoked(picked(intent));
      default:
        return chosen((Intent) null);
    }
  }

  private Neighbours.Answer revoked(Neighbours.Answer answer) {
    if (answer.data != null && answer.data.getData() != null) {
      content.revoke(answer.data.getData());
    }
    return answer;
  }

  private Neighbours.Answer huge() {
    Uri uri =
        DocumentsContract.buildDocumentUri(
            DocumentsOfPhone.STORAGE, "primary:" + HugePicture.put(PhoneContent.sharedRoot()));
    return chosen(uri);
  }

  private static PhoneFile withoutExtension() {
    return PhoneFile.SHARED.get(PhoneFile.SHARED.size() - 1);
  }

  // ---- keys

  /** Tells an app that asked for a certificate that the user chose none. */
  private static void answerWithoutKey(Intent intent) {
    Bundle extras = intent.getExtras();
    IBinder response = extras == null ? null : extras.getBinder("response");
    if (response == null) {
      return;
    }
    try {
      Class<?> stub = Class.forName("android.security.IKeyChainAliasCallback$Stub");
      Object callback =
          ReflectionHelpers.callStaticMethod(
              stub, "asInterface", ReflectionHelpers.ClassParameter.from(IBinder.class, response));
      ReflectionHelpers.callInstanceMethod(
          callback, "alias", ReflectionHelpers.ClassParameter.from(String.class, null));
    } catch (ClassNotFoundException e) {
      return;
    }
  }
}
