import type { OutputValue } from '../../../core/infra/outputs.js';
import { columns, type Paint } from '../../program/screen.js';

/** What an output is, as one text: of a secret the command that shows it. */
export const outputText = ({ value, secret }: OutputValue): string =>
  secret === undefined
    ? value === null || value === undefined
      ? 'not known yet'
      : String(value)
    : `provisioning secret get ${secret} --reveal`;

/** Outputs, a line each; empty where there are none. */
export function outputsText(outputs: readonly OutputValue[], paint: Paint): string {
  if (outputs.length === 0) return '';
  const lines = columns(outputs.map((one) => [`  ${paint('bold', one.name)}`, outputText(one)]));
  return `outputs:\n${lines.map((line) => `${line}\n`).join('')}`;
}

/** Outputs by their names, as `--json` has them. */
export const outputsDocument = (outputs: readonly OutputValue[]) =>
  Object.fromEntries(outputs.map(({ name, ...output }) => [name, output]));
