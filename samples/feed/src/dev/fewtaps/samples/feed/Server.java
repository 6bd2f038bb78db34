package dev.fewtaps.samples.feed;

import android.content.res.AssetManager;
import android.util.SparseBooleanArray;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Stands for a server: slow, by an amount nobody knows, and it leaves out what was read. */
final class Server {
  private static final int PAGE = 6;
  private static final SparseBooleanArray READ = new SparseBooleanArray();

  private final AssetManager assets;
  private final Random network = new Random();

  Server(AssetManager assets) {
    this.assets = assets;
  }

  static synchronized void markRead(int id) {
    READ.put(id, true);
  }

  private static synchronized boolean isRead(int id) {
    return READ.get(id);
  }

  /** Unread articles of the first page. */
  List<Article> firstPage() {
    delay();
    return page(0, PAGE);
  }

  /** Unread articles that come after the one with this id. */
  List<Article> pageAfter(int id) {
    delay();
    return page(id + 1, PAGE);
  }

  int[] comments(int[] ids) {
    int[] counts = new int[ids.length];
    delay();
    for (int i = 0; i < ids.length; i++) {
      counts[i] = ids[i] * 7 % 10;
    }
    return counts;
  }

  private List<Article> page(int from, int count) {
    List<Article> page = new ArrayList<>();
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(assets.open("articles.txt"), StandardCharsets.UTF_8))) {
      String title;
      for (int id = 0; (title = reader.readLine()) != null; id++) {
        if (id >= from && id < from + count && !isRead(id)) {
          page.add(new Article(id, title));
        }
      }
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
    return page;
  }

  private void delay() {
    try {
      Thread.sleep(50 + network.nextInt(1200));
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
    }
  }
}
