import { fail } from './errors.ts';
import type { NewSiteSettings } from './schema.ts';
import { HEADER, HEADER_VALUE, INDEX, type FileKind, type KeptSettings } from './site-settings.ts';

/** Returns the changes of a site's settings. Errors: 400 `invalid_site_settings`. */
export function readSettings(given: NewSiteSettings, uploadBoundMib: number): Partial<KeptSettings> {
  const { index_files: index, caching, headers, folder_listing: listsFolders, upload_mib: uploadMib } = given;
  if (uploadMib !== undefined && uploadMib !== null && uploadMib > uploadBoundMib)
    throw fail.invalid_site_settings(`upload_mib can be ${uploadBoundMib} at most`, { path: '/upload_mib' });
  return {
    ...(index && { index: indexIn(index) }),
    ...(caching && { caching: cachingIn(caching) }),
    ...(headers && { headers: headersIn(headers) }),
    ...(listsFolders !== undefined && { listsFolders }),
    ...(uploadMib !== undefined && { uploadMib }),
  };
}

function indexIn(names: readonly string[]): string[] {
  names.forEach((name, i) => {
    if (!INDEX.test(name))
      throw fail.invalid_site_settings('an index file has a name of letters, digits and ._-, and is not hidden', {
        path: `/index_files/${i}`,
      });
  });
  return [...new Set(names)];
}

function cachingIn(given: NonNullable<NewSiteSettings['caching']>): KeptSettings['caching'] {
  if (new Set(given.map(({ kind }) => kind)).size < given.length)
    throw fail.invalid_site_settings('a kind of files is cached for one time', { path: '/caching' });
  return given.map(({ kind, seconds }) => ({ kind: kind as FileKind, seconds }));
}

function headersIn(given: NonNullable<NewSiteSettings['headers']>): KeptSettings['headers'] {
  const headers = given.map(({ name, value }) => ({ name: name.trim(), value: value.trim() }));
  headers.forEach(({ name, value }, i) => {
    if (!HEADER.test(name))
      throw fail.invalid_site_settings('this header cannot be added; it may concern more than the site', {
        path: `/headers/${i}/name`,
      });
    if (!HEADER_VALUE.test(value))
      throw fail.invalid_site_settings(
        'a value has ASCII characters, but no dollar signs, braces, backticks and backslashes',
        {
          path: `/headers/${i}/value`,
        },
      );
  });
  if (new Set(headers.map(({ name }) => name.toLowerCase())).size < headers.length)
    throw fail.invalid_site_settings('a header is added once', { path: '/headers' });
  return headers;
}
