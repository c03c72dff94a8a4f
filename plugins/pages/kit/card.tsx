import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface CardProps {
  readonly title?: string;
  readonly end?: ComponentChildren;
  readonly children?: ComponentChildren;
  /** Whether its content, such as a table, reaches its edges. */
  readonly isFlush?: boolean;
}

export function Card({ title, end, children, isFlush }: CardProps) {
  const id = useId();
  return (
    <section class={`card ${isFlush === true ? 'flush' : ''}`} aria-labelledby={title === undefined ? undefined : id}>
      {title !== undefined && (
        <div class="card-head">
          <h2 id={id}>{title}</h2>
          {end}
        </div>
      )}
      {children}
    </section>
  );
}

/** The head of a page: what it is, and what can be done there. */
export function PageHead(props: {
  readonly title: string;
  readonly about?: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="page-head">
      <div>
        <h1>{props.title}</h1>
        {props.about !== undefined && <p>{props.about}</p>}
      </div>
      {props.children !== undefined && <div class="row">{props.children}</div>}
    </div>
  );
}

type Tone = 'good' | 'warn' | 'bad' | 'accent';
export function Badge({ tone, children }: { readonly tone?: Tone | undefined; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone ?? ''}`}>{children}</span>;
}
