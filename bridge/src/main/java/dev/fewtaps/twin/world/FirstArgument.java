package dev.fewtaps.twin.world;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Says that the annotated static method is applied to a constructor's first argument. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Repeatable(FirstArgument.All.class)
public @interface FirstArgument {
  /**
   * Internal name of the class whose constructors are meant: those that take the method's type
   * first.
   */
  String owner();

  /** Several classes with one method. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface All {
    /** The classes. */
    FirstArgument[] value();
  }
}
