/** What the originals' files import or name, as open schemas: what they say is judged after it was mapped. */
export const ORIGINALS = {
  /** `import provisioning.settings as cfg`, then `cfg.Settings`. */
  settings: `schema Settings:
    """An infra as the originals write it."""
    [...str]: any
`,
  /** Named without an import. */
  bare: `schema Server:
    """A server as the originals write it."""
    [...str]: any

schema BatchWorkflow:
    """A batch as the originals write it."""
    [...str]: any
`,
} as const;
