/** Returns the addresses in `postgres://user@first:5432,second:5432/name`, each with the password. */
export function addressesIn(url: string, password: string): string[] {
  const [, start = '', hosts = '', rest = ''] = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/.exec(url) ?? [];
  return hosts.split(',').map((host) => {
    const address = `${start}${host}${rest}`;
    if (password === '') return address;
    return `${address}${rest.includes('?') ? '&' : '?'}password=${encodeURIComponent(password)}`;
  });
}

/** Returns where a URL leads, for people: without a password. */
export const placeWithoutPassword = (url: string): string => url.replace(/:[^@/?]*@/, '@').replace(/\?.*$/, '');
