import { findInventory, subject } from '../../authoring/request/which-infra.js';
import { inputError } from '../../core/errors.js';
import { type OutputValue, resolveOutputs } from '../../core/infra/outputs.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { defineCommand, INFRA } from '../command.js';
import { paintFor } from '../program/screen.js';
import type { Session } from '../program/session.js';
import { writeDocument } from '../render/document.js';
import { outputsDocument, outputsText, outputText } from '../render/values/outputs.js';

export const command = defineCommand({
  arguments: [['[name]', 'an output (default: all outputs)']],
  options: [INFRA, { flags: '--reveal', about: 'get the value of a share from its group, and print only that' }],
  details:
    'Shows the `outputs` of the last applied definition with current values. With a name it prints only the value, for scripts. For a secret or a share of a group it prints the command that reveals it; --json has its name. With --reveal a member of the group makes the share, such as a token, if none is kept that lasts long enough. The value goes to the standard output, and the time at which it expires to the standard error.',
  examples: ['output', 'output url --infra shop', 'output --json', 'output join-token --infra shop --reveal'],
  async run(session, { args: [name], flags }) {
    const { infra } = await subject(session, { infra: flags.infra });
    if (flags.reveal && name === undefined)
      throw badUsage('reveal an output', infra, 'no output is named', `provisioning output --infra ${infra}`);
    const inventory = await findInventory(session, infra);
    const outputs = inventory.definition ? resolveOutputs(inventory.definition, inventory) : [];
    if (name !== undefined) {
      const found = outputNamed(outputs, name, infra);
      if (flags.reveal && (found.share || found.secret !== undefined)) return reveal(session, infra, found);
      if (session.json) writeDocument(session, found);
      else session.out.write(`${outputText(found, infra)}\n`);
    } else if (session.json) writeDocument(session, { infra, outputs: outputsDocument(outputs) });
    else session.out.write(outputsText(outputs, infra, paintFor(session.out)) || `${infra}: its definition has no outputs\n`);
    return 0;
  },
});

/** Prints the value of a share. Secrets have a command of their own, which knows their scopes. */
async function reveal(session: Session, infra: string, found: OutputValue): Promise<number> {
  const { name, share } = found;
  if (!share) throw badUsage('reveal the output', name, 'it is a secret', outputText(found, infra));
  const { workspace } = session;
  const { value, until, made } = await (await session.client()).infras.revealOutput({ workspace, infra, output: name });
  if (session.json) writeDocument(session, { ...found, value, until, made });
  else {
    session.out.data(`${value}\n`);
    session.err.write(`valid until ${until}\n`);
  }
  return 0;
}

const badUsage = (what: string, on: string, why: string, hint: string) =>
  inputError({ code: 'bad-arguments', what, on, why, hint });

function outputNamed(outputs: readonly OutputValue[], name: string, infra: string): OutputValue {
  const found = outputs.find((one) => one.name === name);
  if (found) return found;
  const known = outputs.map((one) => one.name);
  const why =
    known.length === 0 ? `the definition of "${infra}" has no outputs` : `the definition of "${infra}" has no such output`;
  const hint = didYouMean(name, known) ?? 'outputs: { NAME: "{{ servers.NAME.address }}" }';
  throw inputError({ code: 'unknown-output', what: 'show the output', on: name, why, hint });
}
