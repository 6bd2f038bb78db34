package dev.fewtaps.twin.world;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says that calls of a method in app code go to the annotated static method instead.
 *
 * <p>An instance method's receiver becomes the first argument.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Repeatable(Replaces.All.class)
public @interface Replaces {
  /** Internal name of the class that is named in the call. */
  String owner();

  /** Name of the called method. */
  String name();

  /** Descriptor of the called method. */
  String desc();

  /** Whether calls through a subclass or implementation of the owner are meant too. */
  boolean subclasses() default false;

  /** Several replacements by one method. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface All {
    /** The replacements. */
    Replaces[] value();
  }
}
