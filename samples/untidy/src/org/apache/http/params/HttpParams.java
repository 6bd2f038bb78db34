package org.apache.http.params;

/** A copy of one interface of a package of which the phone has its own part. */
public interface HttpParams {
  Object getParameter(String name);

  HttpParams setParameter(String name, Object value);

  HttpParams copy();

  boolean removeParameter(String name);

  long getLongParameter(String name, long otherwise);

  HttpParams setLongParameter(String name, long value);

  int getIntParameter(String name, int otherwise);

  HttpParams setIntParameter(String name, int value);

  double getDoubleParameter(String name, double otherwise);

  HttpParams setDoubleParameter(String name, double value);

  boolean getBooleanParameter(String name, boolean otherwise);

  HttpParams setBooleanParameter(String name, boolean value);

  boolean isParameterTrue(String name);

  boolean isParameterFalse(String name);
}
