package dev.fewtaps.twin.code;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The few names in a binary AndroidManifest.xml that tell an app's own code from its libraries. */
record Manifest(String packageName, List<String> components) {
  private static final int STRING_POOL = 0x0001;
  private static final int RESOURCE_MAP = 0x0180;
  private static final int START_ELEMENT = 0x0102;
  private static final int TYPE_STRING = 3;
  private static final int ATTRIBUTE_NAME = 0x01010003;
  private static final int UTF8_FLAG = 1 << 8;
  private static final Set<String> COMPONENTS =
      Set.of("application", "activity", "service", "receiver", "provider");

  /** Reads the binary form; unreadable parts are left out. */
  static Manifest read(byte[] xml) {
    Parser parser = new Parser(ByteBuffer.wrap(xml).order(ByteOrder.LITTLE_ENDIAN));
    try {
      parser.run();
    } catch (RuntimeException e) {
      // Obfuscators break the end of the file on purpose; what was read so far serves.
    }
    return new Manifest(parser.packageName, List.copyOf(parser.components));
  }

  private static final class Parser {
    private final ByteBuffer in;
    private final List<String> components = new ArrayList<>();
    private String packageName = "";
    private String[] strings = {};
    private int[] resources = {};

    Parser(ByteBuffer in) {
      this.in = in;
    }

    void run() {
      int position = in.getShort(2) & 0xffff;
      while (position + 8 <= in.limit()) {
        int type = in.getShort(position) & 0xffff;
        int header = in.getShort(position + 2) & 0xffff;
        int size = in.getInt(position + 4);
        if (size < 8) {
          return;
        }
        switch (type) {
          case STRING_POOL -> readStrings(position);
          case RESOURCE_MAP -> {
            resources = new int[(size - header) / 4];
            for (int i = 0; i < resources.length; i++) {
              resources[i] = in.getInt(position + header + 4 * i);
            }
          }
          case START_ELEMENT -> readElement(position + header);
          default -> {}
        }
        position += size;
      }
    }

    private void readStrings(int start) {
      int count = in.getInt(start + 8);
      boolean utf8 = (in.getInt(start + 16) & UTF8_FLAG) != 0;
      int data = start + in.getInt(start + 20);
      int offsets = start + (in.getShort(start + 2) & 0xffff);
      strings = new String[count];
      for (int i = 0; i < count; i++) {
        int at = data + in.getInt(offsets + 4 * i);
        strings[i] = utf8 ? utf8(at) : utf16(at);
      }
    }

    private String utf8(int at) {
      at += (in.get(at) & 0x80) != 0 ? 2 : 1;
      int length = in.get(at++) & 0xff;
      if ((length & 0x80) != 0) {
        length = (length & 0x7f) << 8 | in.get(at++) & 0xff;
      }
      byte[] bytes = new byte[length];
      in.get(at, bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }

    private String utf16(int at) {
      int length = in.getShort(at) & 0xffff;
      at += 2;
      if ((length & 0x8000) != 0) {
        length = (length & 0x7fff) << 16 | in.getShort(at) & 0xffff;
        at += 2;
      }
      byte[] bytes = new byte[2 * length];
      in.get(at, bytes);
      return new String(bytes, StandardCharsets.UTF_16LE);
    }

    private void readElement(int body) {
      String element = strings[in.getInt(body + 4)];
      int attributes = body + (in.getShort(body + 8) & 0xffff);
      int size = in.getShort(body + 10) & 0xffff;
      int count = in.getShort(body + 12) & 0xffff;
      for (int i = 0; i < count; i++) {
        int at = attributes + i * size;
        int name = in.getInt(at + 4);
        if (in.get(at + 15) != TYPE_STRING) {
          continue;
        }
        String value = strings[in.getInt(at + 16)];
        boolean isName =
            name < resources.length
                ? resources[name] == ATTRIBUTE_NAME
                : strings[name].equals("name");
        if (element.equals("manifest") && strings[name].equals("package")) {
          packageName = value;
        } else if (COMPONENTS.contains(element) && isName) {
          components.add(absolute(value));
        }
      }
    }

    private String absolute(String name) {
      if (name.startsWith(".")) {
        return packageName + name;
      }
      return name.contains(".") ? name : packageName + "." + name;
    }
  }
}
