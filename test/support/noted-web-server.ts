import { definePlugin, type Plugin } from '../../kernel/contract/plugin.ts';
import type { SiteRule, WebServerPart } from '../../kernel/contract/points/web-server-part.ts';
import { defineErrors } from '../../kernel/errors.ts';

const refuse = defineErrors({ webserver_failed: [502, 'The web server refused the change'] });

/** Stands for the web server in quick tests: it serves nothing, and notes by which rules it would. */
export class NotedWebServer {
  readonly #served = new Map<string, SiteRule>();
  /** How many changes it was told of. */
  changes = 0;
  /** Whether it refuses the next change. */
  refusesNext = false;
  readonly plugin: Plugin;

  /** `says` is what it says of itself at each question; without it there is none that could be asked. */
  constructor(says?: () => WebServerPart) {
    this.plugin = definePlugin({
      name: 'server',
      features: [],
      routes: {},
      setup: ({ gather }) => ({
        handlers: {},
        provides: {
          ...(says && { webServer: says }),
          siteChanged: async ({ id, name }) => {
            this.changes += 1;
            const parts = await gather('siteRules', [id]);
            const refuses = this.refusesNext;
            this.refusesNext = false;
            if (refuses) throw refuse.webserver_failed('the server refuses');
            const rules = parts.map((part) => {
              if (!part.ok) throw part.error;
              return part.value.get(id);
            });
            this.#served.set(name, Object.assign({}, ...rules) as SiteRule);
          },
        },
      }),
    });
  }
  /** Returns by which rule a domain is served. */
  served(name: string): SiteRule | undefined {
    return this.#served.get(name);
  }
}
