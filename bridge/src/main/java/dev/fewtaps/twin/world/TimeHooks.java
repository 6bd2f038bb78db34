package dev.fewtaps.twin.world;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.TimeZone;

/** The clock of the world. */
public final class TimeHooks {
  private TimeHooks() {}

  @Replaces(owner = "java/lang/System", name = "currentTimeMillis", desc = "()J")
  public static long currentTimeMillis() {
    Strand me = Strand.here();
    if (me == null) {
      return System.currentTimeMillis();
    }
    Hooks.clockRead(me);
    return me.world.wallMillis();
  }

  @Replaces(owner = "java/lang/System", name = "nanoTime", desc = "()J")
  public static long nanoTime() {
    Strand me = Strand.here();
    if (me == null) {
      return System.nanoTime();
    }
    Hooks.clockRead(me);
    return me.world.nanos();
  }

  /** Uptime in milliseconds, for the Android side's clocks; null outside of a world. */
  public static Long uptimeMillis() {
    Strand me = Strand.here();
    if (me == null) {
      return null;
    }
    Hooks.clockRead(me);
    return me.world.uptimeMillis();
  }

  @AfterNew(owner = "java/util/Date", desc = "()V")
  public static void date(Date date) {
    date.setTime(currentTimeMillis());
  }

  @AfterNew(owner = "java/util/GregorianCalendar", desc = "()V")
  public static void calendar(GregorianCalendar calendar) {
    calendar.setTimeInMillis(currentTimeMillis());
  }

  @AfterNew(owner = "java/util/GregorianCalendar", desc = "(Ljava/util/TimeZone;)V")
  @AfterNew(owner = "java/util/GregorianCalendar", desc = "(Ljava/util/Locale;)V")
  @AfterNew(
      owner = "java/util/GregorianCalendar",
      desc = "(Ljava/util/TimeZone;Ljava/util/Locale;)V")
  public static void calendarAt(GregorianCalendar calendar) {
    calendar.setTimeInMillis(currentTimeMillis());
  }

  private static Calendar set(Calendar calendar) {
    calendar.setTimeInMillis(currentTimeMillis());
    return calendar;
  }

  @Replaces(
      owner = "java/util/Calendar",
      name = "getInstance",
      desc = "()Ljava/util/Calendar;",
      subclasses = true)
  public static Calendar getInstance() {
    return set(Calendar.getInstance());
  }

  @Replaces(
      owner = "java/util/Calendar",
      name = "getInstance",
      desc = "(Ljava/util/TimeZone;)Ljava/util/Calendar;",
      subclasses = true)
  public static Calendar getInstance(TimeZone zone) {
    return set(Calendar.getInstance(zone));
  }

  @Replaces(
      owner = "java/util/Calendar",
      name = "getInstance",
      desc = "(Ljava/util/Locale;)Ljava/util/Calendar;",
      subclasses = true)
  public static Calendar getInstance(Locale locale) {
    return set(Calendar.getInstance(locale));
  }

  @Replaces(
      owner = "java/util/Calendar",
      name = "getInstance",
      desc = "(Ljava/util/TimeZone;Ljava/util/Locale;)Ljava/util/Calendar;",
      subclasses = true)
  public static Calendar getInstance(TimeZone zone, Locale locale) {
    return set(Calendar.getInstance(zone, locale));
  }

  // ---- java.time

  /** A clock that shows the world's time to threads of that world. */
  private static final class WorldClock extends Clock {
    private final ZoneId zone;

    WorldClock(ZoneId zone) {
      this.zone = zone;
    }

    @Override
    public ZoneId getZone() {
      return zone;
    }

    @Override
    public Clock withZone(ZoneId to) {
      return new WorldClock(to);
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(currentTimeMillis());
    }

    @Override
    public long millis() {
      return currentTimeMillis();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof WorldClock && ((WorldClock) other).zone.equals(zone);
    }

    @Override
    public int hashCode() {
      return zone.hashCode();
    }

    @Override
    public String toString() {
      return "SystemClock[" + zone + "]";
    }
  }

  private static Clock clock() {
    return new WorldClock(ZoneId.systemDefault());
  }

  @Replaces(owner = "java/time/Clock", name = "systemUTC", desc = "()Ljava/time/Clock;")
  public static Clock systemUtc() {
    return new WorldClock(ZoneOffset.UTC);
  }

  @Replaces(owner = "java/time/Clock", name = "systemDefaultZone", desc = "()Ljava/time/Clock;")
  public static Clock systemDefaultZone() {
    return clock();
  }

  @Replaces(
      owner = "java/time/Clock",
      name = "system",
      desc = "(Ljava/time/ZoneId;)Ljava/time/Clock;")
  public static Clock system(ZoneId zone) {
    return new WorldClock(zone);
  }

  @Replaces(
      owner = "java/time/Clock",
      name = "tickMillis",
      desc = "(Ljava/time/ZoneId;)Ljava/time/Clock;")
  public static Clock tickMillis(ZoneId zone) {
    return new WorldClock(zone);
  }

  @Replaces(
      owner = "java/time/Clock",
      name = "tickSeconds",
      desc = "(Ljava/time/ZoneId;)Ljava/time/Clock;")
  public static Clock tickSeconds(ZoneId zone) {
    return Clock.tick(new WorldClock(zone), Duration.ofSeconds(1));
  }

  @Replaces(
      owner = "java/time/Clock",
      name = "tickMinutes",
      desc = "(Ljava/time/ZoneId;)Ljava/time/Clock;")
  public static Clock tickMinutes(ZoneId zone) {
    return Clock.tick(new WorldClock(zone), Duration.ofMinutes(1));
  }

  @Replaces(owner = "java/time/Instant", name = "now", desc = "()Ljava/time/Instant;")
  public static Instant instant() {
    return clock().instant();
  }

  @Replaces(owner = "java/time/LocalDate", name = "now", desc = "()Ljava/time/LocalDate;")
  public static LocalDate localDate() {
    return LocalDate.now(clock());
  }

  @Replaces(
      owner = "java/time/LocalDate",
      name = "now",
      desc = "(Ljava/time/ZoneId;)Ljava/time/LocalDate;")
  public static LocalDate localDate(ZoneId zone) {
    return LocalDate.now(new WorldClock(zone));
  }

  @Replaces(owner = "java/time/LocalDateTime", name = "now", desc = "()Ljava/time/LocalDateTime;")
  public static LocalDateTime localDateTime() {
    return LocalDateTime.now(clock());
  }

  @Replaces(
      owner = "java/time/LocalDateTime",
      name = "now",
      desc = "(Ljava/time/ZoneId;)Ljava/time/LocalDateTime;")
  public static LocalDateTime localDateTime(ZoneId zone) {
    return LocalDateTime.now(new WorldClock(zone));
  }

  @Replaces(owner = "java/time/LocalTime", name = "now", desc = "()Ljava/time/LocalTime;")
  public static LocalTime localTime() {
    return LocalTime.now(clock());
  }

  @Replaces(
      owner = "java/time/LocalTime",
      name = "now",
      desc = "(Ljava/time/ZoneId;)Ljava/time/LocalTime;")
  public static LocalTime localTime(ZoneId zone) {
    return LocalTime.now(new WorldClock(zone));
  }

  @Replaces(owner = "java/time/MonthDay", name = "now", desc = "()Ljava/time/MonthDay;")
  public static MonthDay monthDay() {
    return MonthDay.now(clock());
  }

  @Replaces(
      owner = "java/time/MonthDay",
      name = "now",
      desc = "(Ljava/time/ZoneId;)Ljava/time/MonthDay;")
  public static MonthDay monthDay(ZoneId zone) {
    return MonthDay.now(new WorldClock(zone));
  }

  @Replaces(owner = "java/time/OffsetDateTime", name = "now", desc = "()Ljava/time/OffsetDateTime;")
  public static OffsetDateTime offsetDateTime() {
    return OffsetDateTime.now(clock());
  }

  @Replaces(
      owner = "java/time/OffsetDateTime",
      name = "now",
      desc = "(Ljava/time/ZoneId;)Ljava/time/OffsetDateTime;")
  public static OffsetDateTime offsetDateTime(ZoneId zone) {
    return OffsetDateTime.now(new WorldClock(zone));
  }

  @Replaces(owner = "java/time/OffsetTime", name = "now", desc = "()Ljava/time/OffsetTime;")
  public static OffsetTime offsetTime() {
    return OffsetTime.now(clock());
  }

  @Replaces(
      owner = "java/time/OffsetTime",
      name = "now",
      desc = "(Ljava/time/ZoneId;)Ljava/time/OffsetTime;")
  public static OffsetTime offsetTime(ZoneId zone) {
    return OffsetTime.now(new WorldClock(zone));
  }

  @Replaces(owner = "java/time/Year", name = "now", desc = "()Ljava/time/Year;")
  public static Year year() {
    return Year.now(clock());
  }

  @Replaces(owner = "java/time/Year", name = "now", desc = "(Ljava/time/ZoneId;)Ljava/time/Year;")
  public static Year year(ZoneId zone) {
    return Year.now(new WorldClock(zone));
  }

  @Replaces(owner = "java/time/YearMonth", name = "now", desc = "()Ljava/time/YearMonth;")
  public static YearMonth yearMonth() {
    return YearMonth.now(clock());
  }

  @Replaces(
      owner = "java/time/YearMonth",
      name = "now",
      desc = "(Ljava/time/ZoneId;)Ljava/time/YearMonth;")
  public static YearMonth yearMonth(ZoneId zone) {
    return YearMonth.now(new WorldClock(zone));
  }

  @Replaces(owner = "java/time/ZonedDateTime", name = "now", desc = "()Ljava/time/ZonedDateTime;")
  public static ZonedDateTime zonedDateTime() {
    return ZonedDateTime.now(clock());
  }

  @Replaces(
      owner = "java/time/ZonedDateTime",
      name = "now",
      desc = "(Ljava/time/ZoneId;)Ljava/time/ZonedDateTime;")
  public static ZonedDateTime zonedDateTime(ZoneId zone) {
    return ZonedDateTime.now(new WorldClock(zone));
  }
}
