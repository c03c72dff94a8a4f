/**
 * Returns why a configured origin is invalid. It must be written as browsers send it, because it is compared as text.
 */
export function originIssue(text: string): string | undefined {
  const url = URL.canParse(text) && !text.includes('*') ? new URL(text) : undefined; // URLs may hold an asterisk
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return `${JSON.stringify(text)} is not an origin such as https://panel.example:8443`;
  return url.origin === text
    ? undefined
    : `${JSON.stringify(text)} is not an origin as browsers send it; write ${JSON.stringify(url.origin)}`;
}
