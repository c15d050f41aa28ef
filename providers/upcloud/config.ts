import * as z from 'zod';

export const upcloudConfig = z.strictObject({
  account: z.string().optional().describe('Account name: `prod` uses UPCLOUD_TOKEN_PROD and the secret `upcloud/prod/token`'),
  endpoint: z.string().optional().describe('API address. Default: UPCLOUD_API_URL, or https://api.upcloud.com/1.3'),
  zone: z.string().optional().describe('Default zone or region. Default: de-fra1'),
  pollMs: z.number().int().positive().default(5_000).describe('Longest polling interval, in milliseconds'),
});
