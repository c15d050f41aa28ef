import type { Client } from '../../../client/client.js';

/** Result or preview of an authority's rotation. */
export type Rotation = NonNullable<Awaited<ReturnType<Client['secrets']['rotate']>>['rotation']>;
type Step = Rotation['step'];

const TITLES: Readonly<Record<Step, string>> = {
  trust: 'step 1 of 3 (trust)',
  issue: 'step 2 of 3 (issue)',
  finish: 'step 3 of 3 (finish)',
  'at-once': 'all in one step',
};

const MEANINGS: Readonly<Record<Step, string>> = {
  trust: 'clients trust the next authority beside the present one. Certificates stay as they are.',
  issue: 'the next authority signs all certificates. Clients still trust both.',
  finish: 'clients trust only the new authority.',
  'at-once': 'a new authority signs all certificates, and the former one is no longer trusted.',
};

/** Warning before an authority is rotated without an overlap. */
export const ONE_STEP_WARNING = 'Warning: clients that trust only the former authority fail at once, until they have the new one.';

/** Returns a title such as `step 1 of 3 (trust)`. */
export const stepTitle = (step: Step): string => TITLES[step];

/** Describes a step for its confirmation. */
export function stepText({ step, repeated }: Rotation): string {
  const title = `${TITLES[step].charAt(0).toUpperCase()}${TITLES[step].slice(1)}`;
  const meaning = `${title}: ${MEANINGS[step]}`;
  if (repeated) return `${meaning}\nThe authority is in this step already. The services are updated again.`;
  return step === 'at-once' ? `${meaning}\n${ONE_STEP_WARNING}` : meaning;
}

/** Returns the command for the next step of an authority. */
export const continueCommand = (name: string): string => `provisioning secret rotate ${name} --continue`;

/**
 * Describes what follows a step, and when.
 *
 * @param name of the authority
 */
export function nextText(name: string, step: Step): string {
  const file = `provisioning secret get ${name}/certificate --reveal`;
  switch (step) {
    case 'trust':
      return `Give both authorities to clients outside the platform:\n  ${file}\nAfterwards, continue with step 2:\n  ${continueCommand(name)}\n`;
    case 'issue':
      return `If a certificate is also used outside the platform, replace it there. Afterwards, continue with step 3:\n  ${continueCommand(name)}\n`;
    default:
      return `The rotation is complete. Clients outside the platform get the new authority by\n  ${file}\n`;
  }
}
