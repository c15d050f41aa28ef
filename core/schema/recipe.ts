import * as z from 'zod';

const DNS_NAME = /^(?:\*\.)?[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

const length = z
  .int({ error: 'a length is a whole number of characters from 16 to 128' })
  .min(16, { error: 'fewer than 16 characters can be guessed' })
  .max(128, { error: 'at most 128 characters' });
const days = z
  .int({ error: 'a whole number of days from 1 to 3650' })
  .min(1, { error: 'a whole number of days from 1 to 3650' })
  .max(3650, { error: 'a whole number of days from 1 to 3650' });
/** Name of a generated secret that several parts of a definition use. */
export const generatedLabel = z.string().regex(/^[a-z0-9](?:[a-z0-9.-]{0,38}[a-z0-9])?$/, {
  error: 'a name has up to 40 lower-case letters, digits, dots and dashes',
});
const certified = z.union([z.string().max(253).regex(DNS_NAME), z.ipv4(), z.ipv6()], {
  error: 'a name in a certificate is a DNS name or an IP address',
});

/** Recipe of a generated secret. A rotation uses it again. */
export const recipe = z.discriminatedUnion('generate', [
  z.strictObject({ generate: z.literal('password'), length: length.optional() }),
  z.strictObject({ generate: z.literal('token'), length: length.optional() }),
  z.strictObject({ generate: z.literal('ssh-key') }),
  z.strictObject({ generate: z.literal('ca'), name: generatedLabel, days: days.optional() }),
  z.strictObject({
    generate: z.literal('certificate'),
    ca: generatedLabel,
    names: z.array(certified).min(1, { error: 'a certificate has at least one name' }).max(50, { error: 'at most 50 names' }),
    days: days.optional(),
  }),
]);
export type Recipe = z.output<typeof recipe>;

/** Kinds of generated secrets. */
export const GENERATED_KINDS = recipe.options.map(({ shape }) => shape.generate.value);
