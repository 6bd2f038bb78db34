package dev.fewtaps.samples.vault;

/** Step 1: one of four roles. */
final class RoleStage extends Stage {
  RoleStage() {
    super(R.string.role, R.layout.role);
  }

  @Override
  void open(ProcedureActivity desk) {
    forbid(desk, R.string.role_alarm, R.id.customer, R.id.guard, R.id.cleaner);
    desk.findViewById(R.id.keeper).setOnClickListener(view -> desk.passed());
  }
}
