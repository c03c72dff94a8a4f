import { Fragment } from 'preact';
import { CopyButton } from '../button.tsx';

/** Lists names with their values, each of which can be copied. */
export function FactsToCopy({ lines }: { readonly lines: readonly (readonly [what: string, text: string])[] }) {
  return (
    <dl class="facts">
      {lines.map(([what, text]) => (
        <Fragment key={what}>
          <dt>{what}</dt>
          <dd class="row nowrap">
            <code class="wrap">{text}</code>
            <CopyButton text={text} what={what} />
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
