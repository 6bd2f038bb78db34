package dev.fewtaps.samples.vault;

import android.widget.ArrayAdapter;
import android.widget.ListView;

/** A step in which one entry of a list is right. */
abstract class ListStage extends Stage {
  ListStage(int instruction) {
    super(instruction, R.layout.choice);
  }

  /** The entries to choose from. */
  abstract String[] entries(ProcedureActivity desk);

  /** Judges the entry that was tapped. */
  abstract void chosen(ProcedureActivity desk, String entry);

  @Override
  final void open(ProcedureActivity desk) {
    ListView list = desk.findViewById(R.id.choices);
    list.setAdapter(new ArrayAdapter<>(desk, android.R.layout.simple_list_item_1, entries(desk)));
    list.setOnItemClickListener(
        (parent, view, position, id) -> chosen(desk, (String) parent.getItemAtPosition(position)));
  }
}
