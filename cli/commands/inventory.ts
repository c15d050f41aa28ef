import { inventories } from '../../authoring/request/which-infra.js';
import { reachableOf } from '../../core/definition/reachable.js';
import { ansibleInventory } from '../../core/infra/ansible-inventory.js';
import type { Inventory } from '../../core/infra/inventory.js';
import { resolveOutputs } from '../../core/infra/outputs.js';
import { defineCommand } from '../command.js';
import { paintFor } from '../program/screen.js';
import type { Session } from '../program/session.js';
import { definitionTable } from '../render/definitions.js';
import { writeDocument } from '../render/document.js';
import { renderTable, serversOf, serverTable, servicesOf, serviceTable } from '../render/inventory.js';
import { reachText } from '../render/reach.js';
import { reachableTable } from '../render/reachable.js';
import { outputsDocument } from '../render/values/outputs.js';
import { reachIn } from '../shared/reach-after.js';

export const command = defineCommand({
  arguments: [['[infra]', 'an infra (default: all infras)']],
  options: [
    { flags: '--definitions', about: 'list the last applied definitions instead, with author, time, and the current one' },
    { flags: '--format <format>', about: 'print an inventory for another program', choices: ['ansible'] },
  ],
  details:
    'Shows existing servers and services, their versions, the operation that created them, their public ports, and how to reach them. --json prints the whole record.',
  examples: ['inventory', 'inventory shop --json', 'inventory shop --definitions', 'inventory shop --format ansible > hosts.json'],
  async run(session, { args: [infra], flags: { definitions, format } }) {
    const found = await inventories(session, infra);
    if (format) return writeAnsible(session, found);
    if (definitions) return showDefinitions(session, found, infra !== undefined);
    if (session.json) {
      const all = found.map((inventory) => ({
        ...inventory,
        ...(inventory.definition
          ? {
              reachable: reachableOf(inventory.definition),
              reach: reachIn(inventory, true),
              outputs: outputsDocument(resolveOutputs(inventory.definition, inventory)),
            }
          : {}),
      }));
      writeDocument(session, infra === undefined ? { infras: all } : all[0]);
      return 0;
    }
    const paint = paintFor(session.out);
    const networks = found.flatMap((inventory) =>
      Object.values(inventory.networks).map(({ name, provider, id }) => [inventory.infra, name, provider, id]),
    );
    session.out.write(`${serverTable(serversOf(found), paint)}\n`);
    session.out.write(`${renderTable(['INFRA', 'NETWORK', 'PROVIDER', 'ID'], networks, 'no networks', paint)}\n`);
    session.out.write(`${serviceTable(servicesOf(found), paint)}\n`);
    for (const inventory of found) {
      const { infra, definition } = inventory;
      if (!definition) continue;
      session.out.write(`${paint('bold', infra)}\n${reachableTable(reachableOf(definition), paint)}`);
      session.out.write(reachText(reachIn(inventory, true) ?? [], infra, paint));
    }
    return 0;
  },
});

/** Writes the format of `ansible-inventory --list`. Outputs are variables of their infra. */
function writeAnsible(session: Session, found: Inventory[]): number {
  const parts = found.map((inventory) => ({
    inventory,
    outputs: inventory.definition ? resolveOutputs(inventory.definition, inventory) : [],
  }));
  writeDocument(session, ansibleInventory(parts));
  return 0;
}

/** Shows the definitions that were applied to infras. */
async function showDefinitions(session: Session, found: Inventory[], isOne: boolean): Promise<number> {
  const client = await session.client();
  const all = await Promise.all(
    found.map(async ({ workspace, infra }) => ({ infra, definitions: await client.infras.definitions({ workspace, infra }) })),
  );
  if (session.json) writeDocument(session, isOne ? all[0] : { infras: all });
  else session.out.write(definitionTable(all, paintFor(session.out)));
  return 0;
}
