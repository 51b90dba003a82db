// Runs the editor's extension on stand-ins for JupyterLab's modules; prints what hostile outputs cost, as JSON.
const NAME = "cuda-kernels-course", MIME = `application/vnd.${NAME}+json`;
globalThis.window = {};
require(process.argv[2]);
let field, follow, shown, copies = 0;
const modules = {
  "@jupyterlab/notebook": {},
  "@jupyterlab/codemirror": { EditorExtensionRegistry: { createImmutableExtension: () => null } },
  "@codemirror/state": {
    StateEffect: { define: () => ({ of: (value) => ({ value, is: () => true }) }) },
    StateField: { define: (given) => (field = given) },
  },
  "@codemirror/view": {
    Decoration: { mark: () => null, line: (made) => ({ range: () => made.attributes }), set: (lines) => lines },
    EditorView: { baseTheme: () => null },
    ViewPlugin: { fromClass: () => null },
  },
  "@codemirror/language": {},
};
const signal = () => {
  const slots = [];
  return { connect: (slot) => slots.push(slot), emit: (change) => slots.forEach((slot) => slot(null, change)) };
};
const makeCell = (source) => {
  const list = [], changed = signal();
  const outputs = { get: (i) => list[i], get length() { return list.length; }, changed };
  const model = { type: "code", mimeType: source.startsWith("%%cuda") ? "text/x-c++src" : "", outputs };
  Object.assign(model, { sharedModel: { getSource: () => source } });
  Object.assign(model, { mimeTypeChanged: signal(), contentChanged: signal() });
  const state = { doc: { lines: 2, line: () => ({}) } };
  const view = {
    dispatch: ({ effects }) => (shown = field.update({ map: () => [] }, { effects: [effects], state })),
  };
  const output = (data) => {
    list.push({ type: "display_data", toJSON: () => (copies++, { data }) });
    changed.emit({ type: "add", newValues: list.slice(-1), oldValues: [] });
  };
  return { model, ready: Promise.resolve(), editor: { setOption: () => null, editor: view }, output };
};

const course = window._JUPYTERLAB[NAME];
course.init(
  Object.fromEntries(Object.entries(modules).map(([name, made]) => [name, [{ loaded: 1, get: async () => () => made }]])),
);
course.get().then(async (factory) => {
  factory().default.activate(null, { widgetAdded: { connect: (slot) => (follow = slot) } }, { addExtension: () => null }, {});
  const cells = [makeCell("%%cuda k"), makeCell("check()")];
  const content = { widgets: cells, model: { cells: { changed: signal() } }, editorConfig: { code: {} } };
  follow(null, { context: { ready: Promise.resolve() }, content });
  await new Promise((done) => setTimeout(done));
  for (let i = 0; i < 1000; i++) cells[1].output({});
  const copied = copies;
  for (const odd of [null, 5, [], { version: 1, line_marks: {} }]) cells[1].output({ [MIME]: odd });
  const marks = Array.from({ length: 30000 }, (_, i) => ({ line: 2, text: `<b>${i}` }));
  marks.push(null, { line: -1, text: "" }, { line: 1e308, text: "" }, { line: "2", text: "" }, { line: 2, text: {} });
  cells[1].output({ [MIME]: { version: 1, cell: "k", source: 0, line_marks: marks } });
  console.log(JSON.stringify({ copied, shown }));
});
