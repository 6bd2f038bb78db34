package dev.fewtaps.twin.inside;

/** The tables of calls and messages, and what is in them. */
final class MessageRows {
  static final String TABLES =
      """
      CREATE TABLE calls (_id INTEGER PRIMARY KEY, number TEXT, presentation INTEGER DEFAULT 1,
        date INTEGER, duration INTEGER, data_usage INTEGER, type INTEGER, new INTEGER DEFAULT 0,
        is_read INTEGER DEFAULT 1, name TEXT, numbertype INTEGER, numberlabel TEXT, countryiso TEXT,
        geocoded_location TEXT, voicemail_uri TEXT, transcription TEXT, lookup_uri TEXT,
        matched_number TEXT, normalized_number TEXT, photo_id INTEGER DEFAULT 0, photo_uri TEXT,
        formatted_number TEXT, features INTEGER DEFAULT 0, subscription_id TEXT);
      CREATE TABLE sms (_id INTEGER PRIMARY KEY, thread_id INTEGER, address TEXT, person INTEGER,
        date INTEGER, date_sent INTEGER DEFAULT 0, protocol INTEGER, read INTEGER DEFAULT 1,
        status INTEGER DEFAULT -1, type INTEGER, reply_path_present INTEGER, subject TEXT, body TEXT,
        service_center TEXT, locked INTEGER DEFAULT 0, error_code INTEGER DEFAULT 0,
        seen INTEGER DEFAULT 1, sub_id INTEGER DEFAULT 1, creator TEXT);
      CREATE TABLE no_messages (_id INTEGER PRIMARY KEY);
      CREATE VIEW threads AS SELECT thread_id AS _id, max(date) AS date, count(*) AS message_count,
        count(*) AS msg_count, thread_id AS recipient_ids, body AS snippet, 0 AS snippet_cs,
        min(read) AS read, 0 AS type, 0 AS error, 0 AS has_attachment, 0 AS archived, address, body,
        thread_id, person, 'sms' AS transport_type FROM sms GROUP BY thread_id;
      CREATE VIEW addresses AS SELECT DISTINCT thread_id AS _id, address FROM sms;
      """;

  /** In, out, missed, withheld; two threads, a number that is a name, a text without words. */
  static final String ROWS =
      """
      INSERT INTO calls (_id, number, presentation, date, duration, type, new, name, numbertype, countryiso) VALUES
        (1, '+1 555-0101', 1, 1767520800000, 65, 2, 0, 'Anna Example', 2, 'US'),
        (2, '5550102', 1, 1767524400000, 0, 3, 1, 'Bob Plain', 2, 'US'),
        (3, '', 2, 1767528000000, 12, 1, 0, NULL, 0, 'US'),
        (4, '+46855501999', 1, 1767531600000, 3700, 1, 0, NULL, 0, 'SE'),
        (5, '+1 555-0101', 1, 1767535200000, 0, 5, 0, 'Anna Example', 2, 'US');
      INSERT INTO sms (_id, thread_id, address, person, date, date_sent, read, type, body, seen) VALUES
        (1, 1, '+15550101', 1, 1767510000000, 1767509999000, 1, 1, 'Lunch tomorrow?', 1),
        (2, 1, '+15550101', NULL, 1767510300000, 0, 1, 2, 'Yes 👍 at twelve', 1),
        (3, 2, 'INFO', NULL, 1767513600000, 1767513500000, 0, 1, 'Your code is 123456', 0),
        (4, 3, '+46855501999', NULL, 1767517200000, 1767517100000, 1, 1, '', 1);
      """;

  private MessageRows() {}
}
