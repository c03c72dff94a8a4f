import type { Config } from '../config/configuration.ts';
import { TrustedProxies } from '../http/trusted-proxies.ts';
import type { Finding } from '../plugin-api/points/finding.ts';

/** Returns how safe a node's settings are, for doctor and for warnings at the start. */
export function precautions(config: Config): Finding[] {
  return [proxies(config)];
}

function proxies({ trusted_proxies: ranges, proxy_secret: secret }: Config): Finding {
  const name = 'trusted_proxies';
  if (!new TrustedProxies(ranges, secret).trustsEveryProcess)
    return { name, ok: true, detail: ranges.length === 0 ? 'none' : ranges.join(', ') };
  return {
    name,
    ok: false,
    detail: 'every local process, of customers too, may choose the address that it is known by',
    remedy: 'set proxy_secret, and have the proxy send it as X-Proxy-Secret',
  };
}
