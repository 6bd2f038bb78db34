package dev.fewtaps.twin.inside;

import android.R;
import android.content.Context;
import android.text.InputType;
import android.text.method.PasswordTransformationMethod;
import android.util.TypedValue;
import android.view.ContextThemeWrapper;
import android.view.View;
import android.widget.ArrayAdapter;
import android.widget.Button;
import android.widget.CheckBox;
import android.widget.CompoundButton;
import android.widget.EditText;
import android.widget.LinearLayout;
import android.widget.RadioButton;
import android.widget.ScrollView;
import android.widget.Spinner;
import android.widget.TextView;
import java.io.UnsupportedEncodingException;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A page of the web as widgets: texts, links and forms, one below the other. */
final class WebPage {
  /** Where the user wants to go from the page. */
  interface Way {
    /** Follows a link, or sends a form; {@code body} is null unless it is posted. */
    void go(String address, String body);
  }

  /** A part of a form that has a value. */
  private record Field(HtmlPage.Part part, View view) {}

  private static final int MARGIN_DP = 8;

  private final Context context;
  private final HtmlPage page;
  private final Way way;
  private final Map<HtmlPage.Form, List<CompoundButton>> radios = new IdentityHashMap<>();
  private final List<Field> fields = new ArrayList<>();

  private WebPage(Context context, HtmlPage page, Way way) {
    this.context = context;
    this.page = page;
    this.way = way;
  }

  /** Makes the view of a page, which scrolls. */
  static View show(Context app, HtmlPage page, Way way) {
    Context light = new ContextThemeWrapper(app, R.style.Theme_Material_Light);
    return new WebPage(light, page, way).view();
  }

  private View view() {
    LinearLayout column = new LinearLayout(context);
    column.setOrientation(LinearLayout.VERTICAL);
    float density = context.getResources().getDisplayMetrics().density;
    int margin = Math.round(MARGIN_DP * density);
    column.setPadding(margin, margin, margin, margin);
    for (HtmlPage.Part part : page.parts()) {
      View shown = widget(part);
      if (shown != null) {
        column.addView(
            shown,
            new LinearLayout.LayoutParams(
                LinearLayout.LayoutParams.WRAP_CONTENT, LinearLayout.LayoutParams.WRAP_CONTENT));
      }
    }
    ScrollView scroll = new ScrollView(context);
    scroll.addView(column);
    return scroll;
  }

  private View widget(HtmlPage.Part part) {
    switch (part.kind()) {
      case HEADING:
        TextView heading = text(part.text());
        heading.setTextSize(TypedValue.COMPLEX_UNIT_SP, 22);
        return heading;
      case LINK:
        return link(text(part.text()), part);
      case PICTURE:
        View picture = new View(context);
        picture.setContentDescription(part.text().isEmpty() ? null : part.text());
        int side = Math.round(context.getResources().getDisplayMetrics().density * MARGIN_DP * 4);
        picture.setMinimumWidth(side);
        picture.setMinimumHeight(side);
        return part.target() == null ? picture : link(picture, part);
      case FIELD:
        return field(part);
      case CHECKBOX:
        CheckBox box = new CheckBox(context);
        box.setChecked(part.has("checked"));
        return kept(part, box);
      case RADIO:
        return radio(part);
      case CHOICE:
        return choice(part);
      case SUBMIT:
        Button submit = button(part);
        submit.setOnClickListener(view -> submit(part));
        return submit;
      case BUTTON:
        return button(part); // What it does is in a script.
      default:
        return text(part.text());
    }
  }

  private TextView text(String text) {
    TextView view = new TextView(context);
    view.setText(text);
    view.setTextSize(TypedValue.COMPLEX_UNIT_SP, 16);
    return view;
  }

  private View link(View view, HtmlPage.Part part) {
    if (view instanceof TextView) {
      ((TextView) view).setTextColor(0xff0000ee);
    }
    view.setOnClickListener(clicked -> way.go(part.target(), null));
    return view;
  }

  private View kept(HtmlPage.Part part, View view) {
    view.setEnabled(!part.has("disabled"));
    String label = part.attribute("aria-label");
    view.setContentDescription(label.isEmpty() ? null : label);
    fields.add(new Field(part, view));
    return view;
  }

  private Button button(HtmlPage.Part part) {
    Button button = new Button(context);
    button.setAllCaps(false);
    button.setText(part.text());
    button.setEnabled(!part.has("disabled"));
    return button;
  }

  private View field(HtmlPage.Part part) {
    EditText field = new EditText(context);
    field.setText(part.attribute("value"));
    String hint = part.attribute("placeholder");
    field.setHint(hint.isEmpty() ? part.attribute("name") : hint);
    field.setMinEms(10);
    switch (part.attribute("type").toLowerCase(Locale.ROOT)) {
      case "password" -> {
        field.setInputType(InputType.TYPE_CLASS_TEXT | InputType.TYPE_TEXT_VARIATION_PASSWORD);
        field.setTransformationMethod(PasswordTransformationMethod.getInstance());
      }
      case "number", "range" -> field.setInputType(InputType.TYPE_CLASS_NUMBER);
      case "tel" -> field.setInputType(InputType.TYPE_CLASS_PHONE);
      case "email" ->
          field.setInputType(
              InputType.TYPE_CLASS_TEXT | InputType.TYPE_TEXT_VARIATION_WEB_EMAIL_ADDRESS);
      default ->
          field.setInputType(
              InputType.TYPE_CLASS_TEXT | InputType.TYPE_TEXT_VARIATION_WEB_EDIT_TEXT);
    }
    return kept(part, field);
  }

  private View radio(HtmlPage.Part part) {
    RadioButton radio = new RadioButton(context);
    radio.setChecked(part.has("checked"));
    radio.setTag(part.attribute("name"));
    List<CompoundButton> group = radios.computeIfAbsent(part.form(), form -> new ArrayList<>());
    group.add(radio);
    radio.setOnClickListener(
        clicked -> {
          for (CompoundButton other : group) {
            other.setChecked(
                other == radio || (other.isChecked() && !other.getTag().equals(radio.getTag())));
          }
        });
    return kept(part, radio);
  }

  private View choice(HtmlPage.Part part) {
    List<String> texts = new ArrayList<>();
    for (String[] option : part.options()) {
      texts.add(option[1]);
    }
    Spinner spinner = new Spinner(context);
    ArrayAdapter<String> adapter = new ArrayAdapter<>(context, R.layout.simple_spinner_item, texts);
    adapter.setDropDownViewResource(R.layout.simple_spinner_dropdown_item);
    spinner.setAdapter(adapter);
    return kept(part, spinner);
  }

  // ---- forms

  private void submit(HtmlPage.Part button) {
    HtmlPage.Form form = button.form();
    if (form == null) {
      return;
    }
    List<String> pairs = new ArrayList<>();
    for (String[] hidden : form.hidden()) {
      pairs.add(pair(hidden[0], hidden[1]));
    }
    for (Field field : fields) {
      String value = valueOf(field.part(), field.view());
      String name = field.part().attribute("name");
      if (field.part().form() == form && value != null && !name.isEmpty()) {
        pairs.add(pair(name, value));
      }
    }
    if (button.has("name")) {
      pairs.add(pair(button.attribute("name"), button.attribute("value")));
    }
    String query = String.join("&", pairs);
    if (form.isPost()) {
      way.go(form.action(), query);
    } else {
      way.go(form.action().replaceFirst("[?#].*", "") + "?" + query, null);
    }
  }

  /** What a form sends of a field, or null for nothing. */
  private static String valueOf(HtmlPage.Part part, View view) {
    if (view instanceof CompoundButton) {
      String value = part.has("value") ? part.attribute("value") : "on";
      return ((CompoundButton) view).isChecked() ? value : null;
    }
    if (view instanceof Spinner) {
      int chosen = ((Spinner) view).getSelectedItemPosition();
      return chosen < 0 || chosen >= part.options().size() ? null : part.options().get(chosen)[0];
    }
    return ((TextView) view).getText().toString();
  }

  private static String pair(String name, String value) {
    try {
      return URLEncoder.encode(name, "UTF-8") + "=" + URLEncoder.encode(value, "UTF-8");
    } catch (UnsupportedEncodingException e) {
      throw new AssertionError(e);
    }
  }
}
