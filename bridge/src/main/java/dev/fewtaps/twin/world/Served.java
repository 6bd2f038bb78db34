package dev.fewtaps.twin.world;

import java.util.regex.Pattern;

/**
 * An answer from a file of the user's: to requests of a method for addresses that match.
 *
 * @param headers names and values, in turn
 */
public record Served(
    String method, Pattern address, int status, String type, String[] headers, byte[] body) {}
