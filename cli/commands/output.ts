import { findInventory, subject } from '../../authoring/request/which-infra.js';
import { inputError } from '../../core/errors.js';
import { type OutputValue, resolveOutputs } from '../../core/infra/outputs.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { defineCommand, INFRA } from '../command.js';
import { paintFor } from '../program/screen.js';
import { writeDocument } from '../render/document.js';
import { outputsDocument, outputsText, outputText } from '../render/values/outputs.js';

export const command = defineCommand({
  arguments: [['[name]', 'an output (default: all outputs)']],
  options: [INFRA],
  details:
    'Shows the `outputs` of the last applied definition with current values. With a name it prints only the value, for scripts. For a secret it prints the command that reveals it; --json has its name.',
  examples: ['output', 'output url --infra shop', 'output --json'],
  async run(session, { args: [name], flags }) {
    const { infra } = await subject(session, { infra: flags.infra });
    const inventory = await findInventory(session, infra);
    const outputs = inventory.definition ? resolveOutputs(inventory.definition, inventory) : [];
    if (name !== undefined) {
      const found = outputNamed(outputs, name, infra);
      if (session.json) writeDocument(session, found);
      else session.out.write(`${outputText(found)}\n`);
    } else if (session.json) writeDocument(session, { infra, outputs: outputsDocument(outputs) });
    else session.out.write(outputsText(outputs, paintFor(session.out)) || `${infra}: its definition has no outputs\n`);
    return 0;
  },
});

function outputNamed(outputs: readonly OutputValue[], name: string, infra: string): OutputValue {
  const found = outputs.find((one) => one.name === name);
  if (found) return found;
  const known = outputs.map((one) => one.name);
  const why =
    known.length === 0 ? `the definition of "${infra}" has no outputs` : `the definition of "${infra}" has no such output`;
  const hint = didYouMean(name, known) ?? 'outputs: { NAME: "{{ servers.NAME.address }}" }';
  throw inputError({ code: 'unknown-output', what: 'show the output', on: name, why, hint });
}
