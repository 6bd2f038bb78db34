package dev.fewtaps.twin.world;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Says that {@code new} and {@code extends} of a class in app code mean the annotated class. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface ReplacesType {
  /** Internal name of the replaced class. */
  String value();
}
