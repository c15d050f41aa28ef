import type { Definition } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import type { DefinitionRow } from '../../core/infra/definition-log.js';
import type { Context } from '../context.js';
import { findInventory } from '../request/which-infra.js';

/** Definition that was applied to an infra, with its number: 1 is the newest. */
export interface FormerDefinition {
  number: number;
  row: DefinitionRow;
  definition: Definition;
}

/** Minimum characters of a content address that identify a definition. */
const SHORTEST = 8;

/**
 * Returns the definitions that were applied to an infra, newest first.
 *
 * @throws inputError `unknown-infra`
 */
export async function definitionRows(context: Context, infra: string): Promise<DefinitionRow[]> {
  const { workspace } = context;
  const rows = await (await context.client()).infras.definitions({ workspace, infra });
  // An infra that never existed has no definitions. The error for it names the infra.
  if (rows.length === 0) await findInventory(context, infra);
  return rows;
}

/**
 * Finds a former definition by its number or the beginning of its content address.
 *
 * @throws inputError `unknown-definition`, `definition-not-kept`
 */
export async function formerDefinition(context: Context, infra: string, which: string): Promise<FormerDefinition> {
  const { number, row } = await definitionRow(context, infra, which);
  const { workspace } = context;
  const kept = row.hash !== undefined && (await (await context.client()).infras.definition({ workspace, infra, hash: row.hash }));
  if (kept) return { number, row, definition: kept };
  const why = row.hash === undefined ? 'the infra was deleted there' : 'only its record is left; its text is no longer stored';
  throw inputError({ ...about(infra, which), code: 'definition-not-kept', why });
}

/**
 * Finds the record of a former definition, whether its text is stored or not.
 *
 * @throws inputError `unknown-definition`
 */
export async function definitionRow(
  context: Context,
  infra: string,
  which: string,
): Promise<Pick<FormerDefinition, 'number' | 'row'>> {
  const rows = await definitionRows(context, infra);
  const fits = (row: DefinitionRow, index: number) =>
    which === String(index + 1) || (which.length >= SHORTEST && row.hash?.startsWith(which) === true);
  const index = rows.findIndex(fits);
  const row = rows[index];
  if (row) return { number: index + 1, row };
  throw inputError({ ...about(infra, which), code: 'unknown-definition', why: 'no definition has this number or content address' });
}

const about = (infra: string, which: string) => ({
  what: 'find the definition',
  on: `${infra} ${which}`,
  hint: `provisioning infra history ${infra}`,
});
