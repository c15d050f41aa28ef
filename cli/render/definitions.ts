import type { DefinitionRow } from '../../core/infra/definition-log.js';
import type { Paint } from '../program/screen.js';
import { renderTable } from './inventory.js';

const HEAD = ['INFRA', '#', 'DEFINITION', 'STATE', 'APPLIED', 'BY', 'OPERATION'];
/** Number of characters from a content address that identify a definition. */
const SHORT = 12;

/** Renders the definitions that were applied to infras, newest first. */
export function definitionTable(all: readonly { infra: string; definitions: readonly DefinitionRow[] }[], paint: Paint): string {
  const rows = all.flatMap(({ infra, definitions }) =>
    definitions.map((row, index) => [
      infra,
      String(index + 1),
      row.hash?.slice(0, SHORT) ?? paint('dim', 'deleted'),
      stateOf(row, paint),
      row.at.replace(/\.\d+Z$/, 'Z'),
      row.actor,
      row.by.length > 1 ? `${row.operation} and ${row.by.length - 1} more` : row.operation,
    ]),
  );
  return renderTable(HEAD, rows, 'no definitions', paint);
}

function stateOf({ inForce, undone }: DefinitionRow, paint: Paint): string {
  if (inForce) return paint('green', 'in force');
  return undone ? paint('yellow', `rolled back by ${undone.operation}`) : paint('dim', 'former');
}
