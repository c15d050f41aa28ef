import * as z from 'zod';

/** The token of a page of Temporal's lists, as base64. */
export const visibilityToken = z.base64().min(1).max(8_192);
