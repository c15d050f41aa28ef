import type * as z from 'zod';
import { networkForm } from './network-form.js';

/**
 * Requires one notation of networks and addresses, so equal ones have the same text, apart from `/32` or `/128` at an
 * address. A network written with an address inside it is refused: only the author knows whether the network or the
 * address is meant, and the network allows more.
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
