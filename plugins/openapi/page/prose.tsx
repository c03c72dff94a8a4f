/** A text of the description, in which names stand between backticks. */
export function Prose({ text }: { readonly text: string }) {
  return <>{text.split('`').map((part, i) => (i % 2 === 0 ? part : <code key={i}>{part}</code>))}</>;
}
