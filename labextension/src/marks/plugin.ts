/** The plugin that marks cells and lines of notebooks: those that were traced again, run eagerly, were unrolled or staged. */

import { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { EditorExtensionRegistry, IEditorExtensionRegistry } from '@jupyterlab/codemirror';
import { INotebookTracker, NotebookActions } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { followSettings } from '../settings';
import { CommandIDs, ITracefnPanel } from '../tokens';
import { CellBadges } from './badges';
import { MarkedEditors } from './editors';
import { Marks } from './follow';

/** The plugin. Its settings are its own. */
export const marksPlugin: JupyterFrontEndPlugin<void> = {
  id: '@tracefn/labextension:marks',
  description: 'Marks beside the lines and cells of notebooks that were traced again.',
  autoStart: true,
  requires: [ITracefnPanel, INotebookTracker, IEditorExtensionRegistry],
  optional: [ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    panel: ITracefnPanel,
    notebooks: INotebookTracker,
    extensions: IEditorExtensionRegistry,
    settings: ISettingRegistry | null
  ) => {
    const editors = new MarkedEditors();
    extensions.addExtension({
      name: 'tracefn-marks',
      factory: ({ model }) => {
        const id = 'id' in model ? model.id : null; // a cell's, and no other document's
        return typeof id === 'string' ? EditorExtensionRegistry.createImmutableExtension(editors.extension(id)) : null;
      }
    });
    const badges = new CellBadges(notebooks, cell => {
      void app.commands.execute(CommandIDs.openPanel);
      panel.showRetracesOf(cell);
    });
    const wanted = { lines: true, cells: true };
    const marks = new Marks(panel, notebooks, editors, badges, wanted);
    followSettings(settings, marksPlugin.id, loaded => {
      wanted.lines = loaded.get('lineMarks').composite !== false;
      wanted.cells = loaded.get('cellBadges').composite !== false;
      marks.refresh();
    });
    NotebookActions.executionScheduled.connect((_, { cell }) => editors.startRun(cell.model.id));
  }
};
