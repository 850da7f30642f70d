// Where the platform did not say its time zone, the browser's is the better guess; people see and can change it.
const field = document.getElementById("time_zone");
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
if (field?.dataset.guess !== undefined && timeZone) field.value = timeZone;
