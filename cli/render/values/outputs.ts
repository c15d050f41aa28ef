import type { OutputValue } from '../../../core/infra/outputs.js';
import { columns, type Paint } from '../../program/screen.js';

/** Renders an output as one text. A secret output shows the command that reveals it. */
export const outputText = ({ value, secret }: OutputValue): string =>
  secret === undefined
    ? value === null || value === undefined
      ? 'not known yet'
      : String(value)
    : `provisioning secret get ${secret} --reveal`;

/** Renders outputs, one line each. Empty without outputs. */
export function outputsText(outputs: readonly OutputValue[], paint: Paint): string {
  if (outputs.length === 0) return '';
  const lines = columns(outputs.map((one) => [`  ${paint('bold', one.name)}`, outputText(one)]));
  return `outputs:\n${lines.map((line) => `${line}\n`).join('')}`;
}

/** Returns outputs by name for `--json`. */
export const outputsDocument = (outputs: readonly OutputValue[]) =>
  Object.fromEntries(outputs.map(({ name, ...output }) => [name, output]));
