package dev.fewtaps.twin.world;

import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Says that the annotated static method is called with each object that a constructor made. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@Repeatable(AfterNew.All.class)
public @interface AfterNew {
  /** Internal name of the class of the new object. */
  String owner();

  /** Descriptor of the constructor. */
  String desc();

  /** Several constructors with one method. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  @interface All {
    /** The constructors. */
    AfterNew[] value();
  }
}
