import type * as z from 'zod';
import { networkForm } from './network-form.js';

/**
 * Networks and addresses in one form, so that equal ones have the same text, apart from an address with and without
 * `/32` or `/128`. A network that is written with an address inside of it is refused: only the author knows whether the
 * network or the address is meant, and the network lets in more.
 */
export const requireOneForm = (schema: z.ZodType<string, string>) =>
  schema
    .superRefine((text, context) => {
      const { text: own, network, alone } = networkForm(text);
      if (own === network) return;
      const message = `${own.split('/')[0]} is an address inside the range: write ${network}, or ${alone} for only this address`;
      context.addIssue({ code: 'custom', message });
    })
    .overwrite((text) => networkForm(text).text);
