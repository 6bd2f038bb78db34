package dev.fewtaps.twin.inside;

/** The tables of the media store; its rows are made of {@link PhoneFile}s. */
final class MediaRows {
  /** What the store answers for its version: another one means that all numbers of rows are new. */
  static final String VERSION = "api1:1";

  static final String TABLES =
      """
      CREATE TABLE files (_id INTEGER PRIMARY KEY, _data TEXT, _display_name TEXT, _size INTEGER,
        mime_type TEXT, title TEXT, date_added INTEGER, date_modified INTEGER, datetaken INTEGER,
        width INTEGER, height INTEGER, orientation INTEGER, duration INTEGER, resolution TEXT,
        artist TEXT, artist_id INTEGER, album TEXT, album_id INTEGER, album_artist TEXT,
        track INTEGER, year INTEGER, composer TEXT, is_music INTEGER DEFAULT 0,
        is_ringtone INTEGER DEFAULT 0, is_alarm INTEGER DEFAULT 0, is_notification INTEGER DEFAULT 0,
        is_podcast INTEGER DEFAULT 0, is_audiobook INTEGER DEFAULT 0, bookmark INTEGER,
        bucket_id INTEGER, bucket_display_name TEXT, relative_path TEXT, volume_name TEXT,
        owner_package_name TEXT, latitude REAL, longitude REAL, mini_thumb_magic INTEGER,
        media_type INTEGER DEFAULT 0, parent INTEGER DEFAULT 0, format INTEGER, is_pending INTEGER DEFAULT 0,
        is_trashed INTEGER DEFAULT 0, is_favorite INTEGER DEFAULT 0, is_download INTEGER DEFAULT 0,
        description TEXT, isprivate INTEGER, picasa_id TEXT, tags TEXT, category TEXT, language TEXT,
        title_key TEXT, artist_key TEXT, album_key TEXT, document_id TEXT, genre TEXT);
      CREATE TABLE sounds AS SELECT * FROM files;
      CREATE TABLE playlists (_id INTEGER PRIMARY KEY, _data TEXT, name TEXT, date_added INTEGER, date_modified INTEGER);
      CREATE TABLE no_media (_id INTEGER PRIMARY KEY);
      CREATE TABLE media_version AS SELECT '%1$s' AS _version;
      CREATE TABLE media_fs AS SELECT 1 AS fsid;
      CREATE VIEW images AS SELECT * FROM files WHERE media_type = 1;
      CREATE VIEW audio AS SELECT * FROM files WHERE media_type = 2;
      CREATE VIEW video AS SELECT * FROM files WHERE media_type = 3;
      CREATE VIEW downloads AS SELECT * FROM files WHERE is_download = 1;
      CREATE VIEW albums AS SELECT album_id AS _id, album_id, album, album_key, artist, artist_id, artist_key,
        count(*) AS numsongs, count(*) AS numsongs_by_artist, min(year) AS minyear, max(year) AS maxyear,
        NULL AS album_art FROM files WHERE media_type = 2 GROUP BY album_id;
      CREATE VIEW artists AS SELECT artist_id AS _id, artist, artist_key,
        count(DISTINCT album_id) AS number_of_albums, count(*) AS number_of_tracks
        FROM files WHERE media_type = 2 GROUP BY artist_id;
      CREATE VIEW genres AS SELECT 1 AS _id, genre AS name FROM files WHERE genre IS NOT NULL GROUP BY genre;
      CREATE VIEW image_thumbnails AS SELECT _id, _id AS image_id, _data, 1 AS kind, width, height FROM images;
      CREATE VIEW video_thumbnails AS SELECT _id, _id AS video_id, NULL AS _data, 1 AS kind, width, height FROM video;
      """
          .formatted(MediaRows.VERSION);

  private MediaRows() {}
}
