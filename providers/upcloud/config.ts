import * as z from 'zod';

export const upcloudConfig = z.strictObject({
  account: z.string().optional().describe('Which account: `prod` takes UPCLOUD_TOKEN_PROD and the secret `upcloud/prod/token`'),
  endpoint: z.string().optional().describe('Where the API is. Default: UPCLOUD_API_URL, or https://api.upcloud.com/1.3'),
  zone: z.string().optional().describe('Zone or region of what names none. Default: de-fra1'),
  pollMs: z
    .number()
    .int()
    .positive()
    .default(5_000)
    .describe('At most so long between two looks at what takes its time, in milliseconds'),
});
