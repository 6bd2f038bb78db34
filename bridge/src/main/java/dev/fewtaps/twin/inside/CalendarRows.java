package dev.fewtaps.twin.inside;

/** The tables of the calendar provider, and the appointments in them. */
final class CalendarRows {
  static final String TABLES =
      """
      CREATE TABLE calendars (_id INTEGER PRIMARY KEY, account_name TEXT, account_type TEXT,
        name TEXT, calendar_displayName TEXT, calendar_color INTEGER, calendar_access_level INTEGER,
        visible INTEGER DEFAULT 1, sync_events INTEGER DEFAULT 1, calendar_timezone TEXT,
        ownerAccount TEXT, isPrimary INTEGER DEFAULT 0, deleted INTEGER DEFAULT 0,
        canModifyTimeZone INTEGER DEFAULT 1, maxReminders INTEGER DEFAULT 5,
        allowedReminders TEXT DEFAULT '0,1', canOrganizerRespond INTEGER DEFAULT 1);
      CREATE TABLE own_events (_id INTEGER PRIMARY KEY, calendar_id INTEGER, title TEXT,
        description TEXT, eventLocation TEXT, eventColor INTEGER, eventStatus INTEGER DEFAULT 1,
        dtstart INTEGER, dtend INTEGER, duration TEXT, eventTimezone TEXT, eventEndTimezone TEXT,
        allDay INTEGER DEFAULT 0, rrule TEXT, rdate TEXT, exrule TEXT, exdate TEXT,
        organizer TEXT, hasAlarm INTEGER DEFAULT 0, hasAttendeeData INTEGER DEFAULT 0,
        selfAttendeeStatus INTEGER DEFAULT 0, availability INTEGER DEFAULT 0,
        accessLevel INTEGER DEFAULT 0, original_id INTEGER, original_sync_id TEXT,
        originalInstanceTime INTEGER, originalAllDay INTEGER, lastDate INTEGER, _sync_id TEXT,
        dirty INTEGER DEFAULT 0, deleted INTEGER DEFAULT 0, customAppPackage TEXT,
        customAppUri TEXT, uid2445 TEXT);
      CREATE TABLE attendees (_id INTEGER PRIMARY KEY, event_id INTEGER, attendeeName TEXT,
        attendeeEmail TEXT, attendeeStatus INTEGER, attendeeRelationship INTEGER, attendeeType INTEGER);
      CREATE TABLE reminders (_id INTEGER PRIMARY KEY, event_id INTEGER, minutes INTEGER, method INTEGER);
      CREATE TABLE no_events (_id INTEGER PRIMARY KEY);
      CREATE VIEW events AS SELECT e.*, c.account_name, c.account_type, c.calendar_displayName,
        c.calendar_color, c.calendar_access_level, c.visible, c.ownerAccount, c.calendar_timezone,
        c.isPrimary, coalesce(e.eventColor, c.calendar_color) AS displayColor
        FROM own_events e LEFT JOIN calendars c ON c._id = e.calendar_id WHERE e.deleted = 0;
      CREATE VIEW instances AS WITH RECURSIVE days(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM days WHERE n < 60)
        SELECT e.*, e._id AS event_id, e._id * 100 + n AS instance_id,
        e.dtstart + n * 604800000 AS begin,
        coalesce(e.dtend, e.dtstart + 3600000) + n * 604800000 AS "end",
        (e.dtstart + n * 604800000) / 86400000 + 2440588 AS startDay,
        (coalesce(e.dtend, e.dtstart + 3600000) + n * 604800000 - 1) / 86400000 + 2440588 AS endDay,
        (e.dtstart / 60000) % 1440 AS startMinute,
        (coalesce(e.dtend, e.dtstart + 3600000) / 60000) % 1440 AS endMinute
        FROM events e JOIN days ON n = 0 OR e.rrule IS NOT NULL;
      """;

  /** Times of an hour and of all day, weekly, without a title, ending before it begins. */
  static final String ROWS =
      """
      INSERT INTO calendars (_id, account_name, account_type, name, calendar_displayName,
        calendar_color, calendar_access_level, calendar_timezone, ownerAccount, isPrimary) VALUES
        (1, 'sam@example.com', 'com.example.mail', 'Personal', 'Personal', -14575885, 700, 'UTC', 'sam@example.com', 1),
        (2, 'sam@example.com', 'com.example.mail', 'Holidays', 'Holidays', -769226, 200, 'UTC', 'holidays@example.com', 0);
      INSERT INTO own_events (_id, calendar_id, title, description, eventLocation, dtstart, dtend,
        duration, eventTimezone, allDay, rrule, organizer, hasAlarm) VALUES
        (1, 1, 'Lunch with Anna', 'Bring the report', 'Café Søn', 1767614400000, 1767618000000, NULL, 'UTC', 0, NULL, 'sam@example.com', 1),
        (2, 1, 'Team meeting', NULL, NULL, 1767603600000, NULL, 'PT1H', 'Europe/Berlin', 0, 'FREQ=WEEKLY', 'sam@example.com', 0),
        (3, 2, 'Epiphany', NULL, NULL, 1767657600000, 1767744000000, NULL, 'UTC', 1, NULL, 'holidays@example.com', 0),
        (4, 1, NULL, NULL, NULL, 1767700800000, 1767704400000, NULL, 'UTC', 0, NULL, 'sam@example.com', 0),
        (5, 1, 'Night train', NULL, 'Platform 9', 1767736800000, 1767772800000, NULL, 'Asia/Kathmandu', 0, NULL, 'sam@example.com', 0);
      INSERT INTO attendees VALUES (1, 1, 'Anna Example', 'anna@example.com', 1, 1, 1),
        (2, 1, NULL, 'sam@example.com', 1, 2, 1);
      INSERT INTO reminders VALUES (1, 1, 10, 1);
      """;

  private CalendarRows() {}
}
