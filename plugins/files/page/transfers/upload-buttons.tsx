import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { attempt, Button, t } from '../../../pages/kit/index.ts';
import { chosenFiles, droppedFiles } from './dropped.ts';
import { upload } from './queue.ts';

interface UploadButtonsProps {
  /** Where it goes; `undefined` until it is known. */
  readonly folder: string | undefined;
  readonly onNewFolder: () => void;
}

export function UploadButtons({ folder, onNewFolder }: UploadButtonsProps) {
  const isDisabled = folder === undefined;
  return (
    <>
      <Button icon="plus" isDisabled={isDisabled} onClick={onNewFolder}>
        {t('files.newFolder')}
      </Button>
      <Chooser text={t('files.uploadFolder')} folder={folder} isOfFolders />
      <Chooser text={t('files.upload')} folder={folder} />
    </>
  );
}

interface ChooserProps {
  readonly text: string;
  readonly folder: string | undefined;
  readonly isOfFolders?: boolean;
}

/** A button for what the browser shows in its own way. */
function Chooser({ text, folder, isOfFolders }: ChooserProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (input.current !== null) input.current.webkitdirectory = isOfFolders === true;
  }, []);
  const take = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    const { files } = currentTarget;
    if (files !== null && folder !== undefined) void upload(folder, chosenFiles(files));
    currentTarget.value = ''; // so that the same one can be chosen again
  };
  return (
    <>
      <input ref={input} type="file" multiple hidden onChange={take} />
      <Button
        icon={isOfFolders === true ? 'folder' : 'upload'}
        kind={isOfFolders === true ? undefined : 'primary'}
        isDisabled={folder === undefined}
        onClick={() => input.current?.click()}
      >
        {text}
      </Button>
    </>
  );
}

/** Takes what is dropped anywhere on the page. Returns whether something is held over it. */
export function useDropping(folder: string | undefined): boolean {
  const isOver = useSignal(false);
  const target = useRef(folder);
  target.current = folder;
  useEffect(() => {
    const hold = (event: DragEvent) => {
      const isOfFiles = event.dataTransfer?.types.includes('Files') === true;
      if (!isOfFiles || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      isOver.value = true;
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) isOver.value = false; // out of the window
    };
    const drop = (event: DragEvent) => {
      const { current: into } = target;
      if (!isOver.value || event.dataTransfer === null) return;
      event.preventDefault();
      isOver.value = false;
      if (into === undefined) return;
      const dropped = droppedFiles(event.dataTransfer);
      void attempt(async () => upload(into, await dropped));
    };
    const listeners = [
      ['dragenter', hold],
      ['dragover', hold],
      ['dragleave', leave],
      ['drop', drop],
    ] as const;
    for (const [name, listener] of listeners) window.addEventListener(name, listener);
    return () => {
      for (const [name, listener] of listeners) window.removeEventListener(name, listener);
    };
  }, []);
  return isOver.value;
}
