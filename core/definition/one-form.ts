import type * as z from 'zod';
import { networkForm } from './network-form.js';

/**
 * Networks and addresses in one form, so that two that are the same compare so. One with an address inside of it is
 * refused: whether the network or that address is meant, only the author knows, and the first lets in more.
 */
export const inOneForm = (schema: z.ZodType<string, string>) =>
  schema
    .superRefine((text, context) => {
      const { text: own, network, alone } = networkForm(text);
      if (own === network) return;
      const message = `${own.split('/')[0]} is an address inside of the range: write ${network}, or ${alone} for the address alone`;
      context.addIssue({ code: 'custom', message });
    })
    .overwrite((text) => networkForm(text).text);
