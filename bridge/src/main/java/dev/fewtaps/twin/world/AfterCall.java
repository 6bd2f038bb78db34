package dev.fewtaps.twin.world;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Says that what calls of a method without arguments return goes through the annotated static
 * method, which gets the receiver and the result.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Repeatable(AfterCall.All.class)
public @interface AfterCall {
  /** Internal name of the class that is named in the call. */
  String owner();

  /** Name of the called method. */
  String name();

  /** Descriptor of the called method. */
  String desc();

  /** Whether calls through a subclass of the owner are meant too. */
  boolean subclasses() default false;

  /** Several methods whose results go through one. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface All {
    /** The methods. */
    AfterCall[] value();
  }
}
