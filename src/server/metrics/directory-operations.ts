// What a request wants of the directory, by its path: the routes of `directory/router.ts` in classes.

/** @param path below {directory_url}; `labels.operation` of the definitions */
export function directoryOperation(path: string): string {
  const [, first = '', second, third] = path.split('/', 4);
  if (first === '' || first === 'metadata' || first === '.well-known' || first === 'SearchParameter') return 'metadata';
  if (isExport(first)) return third === undefined ? 'export' : 'download';
  if (!/^[A-Z]/.test(first)) return 'other';
  if (second === undefined || second === '' || second === '_search') return 'search';
  return isExport(second) ? 'export' : 'read';
}

function isExport(segment: string): boolean {
  return segment === '$export' || segment === '%24export';
}
