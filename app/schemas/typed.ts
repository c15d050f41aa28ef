import type * as z from 'zod';

/** The same schema under the name of its type, so that declarations and hints of editors stay readable. */
export const typeSchema =
  <T>() =>
  <S extends z.ZodType<T>>(schema: S & Complete<T, S>): z.ZodType<T, T> =>
    schema as unknown as z.ZodType<T, T>;

/** Rejects a schema that omits a field of the type: values with that field would not pass the schema. */
type Complete<T, S extends z.ZodType> = [Exclude<KeysOf<T>, KeysOf<z.output<S>>>] extends [never]
  ? unknown
  : { missing: Exclude<KeysOf<T>, KeysOf<z.output<S>>> };
type KeysOf<T> = T extends readonly unknown[] ? never : T extends unknown ? keyof T : never;
