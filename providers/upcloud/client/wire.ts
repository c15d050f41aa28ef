import * as z from 'zod';

/** Codecs between the API's formats and those of this client: each reads (`z.decode`) and writes (`z.encode`). */

/** `"1024"` ↔ 1024. */
export const numeric = z.codec(z.union([z.string().regex(/^-?\d+(\.\d+)?$/), z.number()]), z.number(), {
  decode: Number,
  encode: String,
});

/** `"80"` ↔ 80, `""` ↔ null. */
export const numericOrEmpty = z.codec(z.union([z.string().regex(/^(-?\d+(\.\d+)?)?$/), z.number()]), z.number().nullable(), {
  decode: (text) => (text === '' ? null : Number(text)),
  encode: (value) => (value === null ? '' : String(value)),
});

const eitherWord = (yes: string, no: string) =>
  z.codec(z.union([z.enum([yes, no]), z.boolean()]), z.boolean(), {
    decode: (word) => word === yes || word === true,
    encode: (value) => (value ? yes : no),
  });

/** `"yes"` ↔ true. */
export const yesNo = eitherWord('yes', 'no');
/** `"on"` ↔ true. */
export const onOff = eitherWord('on', 'off');
/** `"1"` ↔ true. */
export const oneZero = eitherWord('1', '0');

/** Fields beside the list in its envelope, so that nothing is lost. */
const beside = Symbol('beside');

/** Creates a codec: `{"server":[…]}` ↔ `[…]`. */
export function createListSchema<K extends string, T extends z.ZodType>(key: K, item: T) {
  const items = z.array(item);
  const envelope = z.looseObject({ [key]: items.optional() });
  return z.codec(envelope, z.custom<z.output<T>[]>(Array.isArray), {
    decode: (wire) => {
      const { [key]: found, ...rest } = wire as Record<string, unknown>;
      const list = (found ?? []) as z.output<T>[];
      if (Object.keys(rest).length > 0) Object.defineProperty(list, beside, { value: rest });
      return list;
    },
    encode: (list) => ({ ...(list as { [beside]?: object })[beside], [key]: list }) as z.output<typeof envelope>,
  });
}

/** Creates the schema of an answer with one resource in its envelope: `{"server":{…}}`. */
export const envelope = <K extends string, T extends z.ZodType>(key: K, inner: T) =>
  z.looseObject({ [key]: inner } as { [P in K]: T });

export const label = z.looseObject({ key: z.string(), value: z.string() });
export type Label = { key: string; value: string };

/**
 * Labels of networks, routers, storages, gateways and load balancers: a list. Servers and server groups use an
 * envelope.
 */
export const plainLabels = z.array(label);
export const wrappedLabels = createListSchema('label', label);

/** In requests. */
const labelToWrite = z.strictObject({ key: z.string(), value: z.string() });
export const plainLabelsToWrite = z.array(labelToWrite);
export const wrappedLabelsToWrite = createListSchema('label', labelToWrite);

/** Converts labels to a record: `{ role: 'web' }`. */
export const recordOf = (labels: readonly Label[] = []): Record<string, string> =>
  Object.fromEntries(labels.map(({ key, value }) => [key, value]));

export const labelsOf = (record: Readonly<Record<string, string>>): Label[] =>
  Object.entries(record).map(([key, value]) => ({ key, value }));
