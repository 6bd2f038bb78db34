package dev.fewtaps.twin.inside;

/** The tables of the contacts provider, and the people in them. */
final class ContactRows {
  /** Columns that are no table's own are added by {@link ContentTables} when they are asked for. */
  static final String TABLES =
      """
      CREATE TABLE raw_contacts (_id INTEGER PRIMARY KEY, contact_id INTEGER, account_name TEXT,
        account_type TEXT, data_set TEXT, sourceid TEXT, version INTEGER DEFAULT 1,
        dirty INTEGER DEFAULT 0, deleted INTEGER DEFAULT 0, display_name TEXT,
        display_name_alt TEXT, display_name_source INTEGER DEFAULT 0, phonetic_name TEXT,
        sort_key TEXT, starred INTEGER DEFAULT 0, times_contacted INTEGER DEFAULT 0,
        last_time_contacted INTEGER DEFAULT 0, custom_ringtone TEXT,
        send_to_voicemail INTEGER DEFAULT 0, pinned INTEGER DEFAULT 0);
      CREATE TABLE data_rows (_id INTEGER PRIMARY KEY, raw_contact_id INTEGER, mimetype TEXT,
        is_primary INTEGER DEFAULT 0, is_super_primary INTEGER DEFAULT 0,
        is_read_only INTEGER DEFAULT 0, data_version INTEGER DEFAULT 0, data1 TEXT, data2 TEXT,
        data3 TEXT, data4 TEXT, data5 TEXT, data6 TEXT, data7 TEXT, data8 TEXT, data9 TEXT,
        data10 TEXT, data11 TEXT, data12 TEXT, data13 TEXT, data14 TEXT, data15 BLOB,
        data_sync1 TEXT, data_sync2 TEXT, data_sync3 TEXT, data_sync4 TEXT);
      CREATE TABLE groups (_id INTEGER PRIMARY KEY, title TEXT, notes TEXT, system_id TEXT,
        account_name TEXT, account_type TEXT, group_visible INTEGER DEFAULT 1,
        deleted INTEGER DEFAULT 0, auto_add INTEGER DEFAULT 0, favorites INTEGER DEFAULT 0,
        group_is_read_only INTEGER DEFAULT 0, summ_count INTEGER DEFAULT 0);
      CREATE TABLE no_contacts (_id INTEGER PRIMARY KEY);
      CREATE TRIGGER joined AFTER INSERT ON raw_contacts WHEN new.contact_id IS NULL BEGIN
        UPDATE raw_contacts SET contact_id = _id WHERE _id = new._id; END;
      CREATE TRIGGER named AFTER INSERT ON data_rows
        WHEN new.mimetype = 'vnd.android.cursor.item/name' BEGIN
        UPDATE raw_contacts SET
          display_name = coalesce(new.data1, trim(coalesce(new.data2, '') || ' ' || coalesce(new.data3, ''))),
          display_name_source = 40 WHERE _id = new.raw_contact_id; END;
      CREATE VIEW people AS SELECT contact_id AS _id, contact_id, _id AS name_raw_contact_id,
        '0r' || contact_id || '-person' AS lookup, display_name, display_name AS display_name_original,
        coalesce(display_name_alt, display_name) AS display_name_alt, display_name_source, phonetic_name,
        display_name AS sort_key, display_name AS sort_key_alt,
        upper(substr(display_name, 1, 1)) AS phonebook_label, starred, pinned, times_contacted,
        last_time_contacted, custom_ringtone, send_to_voicemail, 1 AS in_visible_group,
        0 AS in_default_directory, 0 AS is_user_profile, account_name, account_type,
        1767268800000 AS contact_last_updated_timestamp,
        EXISTS (SELECT 1 FROM data_rows d WHERE d.raw_contact_id = raw_contacts._id
          AND d.mimetype = 'vnd.android.cursor.item/phone_v2') AS has_phone_number,
        EXISTS (SELECT 1 FROM data_rows d WHERE d.raw_contact_id = raw_contacts._id
          AND d.mimetype = 'vnd.android.cursor.item/email_v2') AS has_email,
        (SELECT _id FROM data_rows d WHERE d.raw_contact_id = raw_contacts._id
          AND d.mimetype = 'vnd.android.cursor.item/photo') AS photo_id,
        (SELECT 'content://com.android.contacts/contacts/' || contact_id || '/display_photo'
          FROM data_rows d WHERE d.raw_contact_id = raw_contacts._id
          AND d.mimetype = 'vnd.android.cursor.item/photo') AS photo_uri,
        (SELECT 'content://com.android.contacts/contacts/' || contact_id || '/photo'
          FROM data_rows d WHERE d.raw_contact_id = raw_contacts._id
          AND d.mimetype = 'vnd.android.cursor.item/photo') AS photo_thumb_uri
        FROM raw_contacts WHERE deleted = 0;
      CREATE VIEW details AS SELECT d.*, d._id AS data_id, p.contact_id, p.lookup,
        p.name_raw_contact_id, p.display_name, p.display_name_alt, p.display_name_source,
        p.phonetic_name, p.sort_key, p.sort_key_alt, p.phonebook_label, p.starred,
        p.times_contacted, p.last_time_contacted, p.custom_ringtone, p.send_to_voicemail,
        p.in_visible_group, p.has_phone_number, p.photo_id, p.photo_uri, p.photo_thumb_uri,
        p.account_name, p.account_type, p.contact_last_updated_timestamp, 0 AS contact_presence,
        CASE WHEN d.mimetype = 'vnd.android.cursor.item/group_membership' THEN d.data1 END AS group_sourceid,
        replace(replace(replace(replace(d.data1, ' ', ''), '-', ''), '(', ''), ')', '') AS digits
        FROM data_rows d JOIN people p ON p.name_raw_contact_id = d.raw_contact_id;
      CREATE VIEW phones AS SELECT contact_id AS _id, data1 AS number, digits AS normalized_number,
        data2 AS type, data3 AS label, contact_id, data_id, lookup, display_name, display_name_alt,
        starred, times_contacted, last_time_contacted, custom_ringtone, send_to_voicemail,
        in_visible_group, has_phone_number, photo_id, photo_uri, photo_thumb_uri, digits
        FROM details WHERE mimetype = 'vnd.android.cursor.item/phone_v2';
      """;

  /**
   * The people: with and without a number, a photo, a birthday, a mail address; names in other
   * scripts, with quotes, very long, and none at all.
   */
  static final String ROWS =
      """
      INSERT INTO raw_contacts (_id, account_name, account_type, display_name, display_name_alt,
        display_name_source, starred, times_contacted, last_time_contacted) VALUES
        (1, 'sam@example.com', 'com.example.mail', 'Anna Example', 'Example, Anna', 40, 1, 12, 1767500000000),
        (2, 'sam@example.com', 'com.example.mail', 'Bob Plain', 'Plain, Bob', 40, 0, 3, 1767400000000),
        (3, 'sam@example.com', 'com.example.mail', 'Zoë Ångström-Łukaszewicz', 'Ångström-Łukaszewicz, Zoë', 40, 0, 0, 0),
        (4, NULL, NULL, '王小明', '王小明', 40, 0, 0, 0),
        (5, NULL, NULL, 'ليلى حداد', 'حداد, ليلى', 40, 0, 1, 1767300000000),
        (6, NULL, NULL, 'Miles O''Test "Chief"', 'O''Test, Miles', 40, 0, 0, 0),
        (7, NULL, NULL, '+1 555-0107', '+1 555-0107', 20, 0, 0, 0),
        (8, NULL, NULL, NULL, NULL, 0, 0, 0, 0),
        (9, NULL, NULL, '👩‍🚀', '👩‍🚀', 40, 0, 0, 0),
        (10, NULL, NULL, 'Maximiliana Alexandrina Konstantina von und zu Hohenbeispielburg-Musterhausen the Third', NULL, 40, 0, 0, 0);
      INSERT INTO data_rows (raw_contact_id, mimetype, data1, data2, data3) VALUES
        (1, 'vnd.android.cursor.item/name', 'Anna Example', 'Anna', 'Example'),
        (2, 'vnd.android.cursor.item/name', 'Bob Plain', 'Bob', 'Plain'),
        (3, 'vnd.android.cursor.item/name', 'Zoë Ångström-Łukaszewicz', 'Zoë', 'Ångström-Łukaszewicz'),
        (4, 'vnd.android.cursor.item/name', '王小明', '小明', '王'),
        (5, 'vnd.android.cursor.item/name', 'ليلى حداد', 'ليلى', 'حداد'),
        (6, 'vnd.android.cursor.item/name', 'Miles O''Test "Chief"', 'Miles', 'O''Test'),
        (9, 'vnd.android.cursor.item/name', '👩‍🚀', '👩‍🚀', NULL),
        (10, 'vnd.android.cursor.item/name', 'Maximiliana Alexandrina Konstantina von und zu Hohenbeispielburg-Musterhausen the Third', 'Maximiliana', NULL),
        (1, 'vnd.android.cursor.item/phone_v2', '+1 555-0101', 2, NULL),
        (1, 'vnd.android.cursor.item/phone_v2', '(555) 010-1101', 1, NULL),
        (2, 'vnd.android.cursor.item/phone_v2', '5550102', 2, NULL),
        (3, 'vnd.android.cursor.item/phone_v2', '+46 8 555 01 03', 0, 'Sommarstuga'),
        (4, 'vnd.android.cursor.item/phone_v2', '*#100#', 7, NULL),
        (7, 'vnd.android.cursor.item/phone_v2', '+1 555-0107', 2, NULL),
        (10, 'vnd.android.cursor.item/phone_v2', '', 2, NULL),
        (1, 'vnd.android.cursor.item/email_v2', 'anna@example.com', 1, NULL),
        (3, 'vnd.android.cursor.item/email_v2', 'zoë@exämple.org', 2, NULL),
        (8, 'vnd.android.cursor.item/note', 'neither name nor number', NULL, NULL),
        (1, 'vnd.android.cursor.item/contact_event', '1990-12-10', 3, NULL),
        (3, 'vnd.android.cursor.item/contact_event', '--02-29', 3, NULL),
        (6, 'vnd.android.cursor.item/contact_event', '12 May', 3, NULL),
        (1, 'vnd.android.cursor.item/postal-address_v2', '1 Sample Street' || char(10) || '12345 Town', 1, NULL),
        (1, 'vnd.android.cursor.item/organization', 'Example Ltd', 1, NULL),
        (1, 'vnd.android.cursor.item/website', 'https://example.com', 7, NULL),
        (1, 'vnd.android.cursor.item/group_membership', '1', NULL, NULL);
      INSERT INTO groups (_id, title, account_name, account_type, summ_count) VALUES
        (1, 'Friends', 'sam@example.com', 'com.example.mail', 1),
        (2, NULL, 'sam@example.com', 'com.example.mail', 0);
      """;

  private ContactRows() {}
}
