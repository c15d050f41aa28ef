/** Open schemas for the imports and names of the originals' files. The result is checked after it was mapped. */
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
