/** Returns a function that writes documents as YAML. The library is loaded on demand. */
export async function yamlText(): Promise<(value: unknown) => string> {
  const { stringify } = await import('yaml');
  return (value) => {
    // Same content as the JSON document. `compat` quotes values that older readers would misread, such as `yes`.
    const document: unknown = JSON.parse(JSON.stringify(value));
    return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  };
}
